#!/usr/bin/python3
"""The documents as a web site: static pages that need no network.

    tools/site.py OUT        OUT: a folder, made anew

README.md becomes index.html, doc/*.md and the other documents that these lead to
pages beside it, source files that are mentioned pages with their text, and so does
include/op2.h, the reference. A link that leads nowhere is an error. Needs Debian's
python3-markdown; ends with "N pages"."""
import html
import os
import re
import shutil
import sys

try:
    import markdown
except ImportError:
    sys.exit("site: python3-markdown is not installed (tools/install-deps.sh site)")

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAV = [("README.md", "op2lazy"), ("doc/tutorial.md", "Tutorial"),
       ("include/op2.h", "Reference"), ("doc/options.md", "Options"),
       ("doc/debugging.md", "Debugging"), ("doc/performance.md", "Performance"),
       ("doc/io.md", "Files"), ("doc/mpi.md", "Ranks"), ("doc/gpu.md", "GPUs"),
       ("doc/python.md", "Python"), ("doc/porting.md", "Porting"),
       ("doc/architecture.md", "Architecture"), ("CHANGELOG", "Changelog")]
STYLE = """body{font:16px/1.5 sans-serif;max-width:52rem;margin:0 auto;padding:0 1rem}
nav{padding:.7rem 0;border-bottom:1px solid #ccc;margin-bottom:1rem}
nav a{margin-right:.9rem;white-space:nowrap}a{color:#05a;text-decoration:none}
a:hover{text-decoration:underline}nav a.here{color:#000;font-weight:bold}
pre{background:#f5f5f5;padding:.7rem;overflow-x:auto;font-size:13px;line-height:1.35}
code{background:#f5f5f5}table{border-collapse:collapse;display:block;overflow-x:auto}
th,td{border:1px solid #ccc;padding:.25rem .5rem;text-align:left;vertical-align:top}
img{max-width:100%}
"""


def slug(text, separator):
    """The name that a heading has in links, as GitHub makes it."""
    text = re.sub(r"[^\w\- ]", "", text.lower())
    return text.strip().replace(" ", separator)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def is_text(path):
    return path.endswith(".md") or path == "CHANGELOG"


def page_of(path):
    """Where the page of a file of the project lies in the site."""
    if path == "README.md":
        return "index.html"
    if is_text(path):
        return re.sub(r"^doc/", "", re.sub(r"\.md$", "", path)).lower() + ".html"
    return path if path.endswith(".png") else "source/" + path + ".html"


class Site:
    def __init__(self, out):
        self.out, self.todo, self.done = out, [path for path, _ in NAV], {}
        self.links = []  # (page, line's target, page there, anchor)

    def write(self, path, text):
        at = os.path.join(self.out, page_of(path))
        os.makedirs(os.path.dirname(at), exist_ok=True)
        with open(at, "w", encoding="utf-8") as f:
            f.write(text)

    def target(self, path, link):
        """A link of the document `path` as one of its page."""
        if re.match(r"[a-z]+:", link):
            return link
        name, _, anchor = link.partition("#")
        to = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if not os.path.exists(os.path.join(ROOT, to)):
            sys.exit(f"site: {path}: {link} leads nowhere")
        self.todo.append(to)
        self.links.append((path, link, to, anchor))
        here = os.path.dirname(page_of(path)) or "."
        return os.path.relpath(page_of(to), here) + ("#" + anchor if anchor else "")

    def frame(self, path, title, body):
        here = os.path.dirname(page_of(path)) or "."
        nav = "".join('<a href="{}"{}>{}</a>\n'.format(
            os.path.relpath(page_of(to), here), ' class="here"' * (to == path), name)
            for to, name in NAV)
        style = os.path.relpath("style.css", here)
        return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
                '<meta name="viewport" content="width=device-width">\n'
                f'<title>{html.escape(title)}</title>\n'
                f'<link rel="stylesheet" href="{style}"></head><body>\n'
                f'<nav>\n{nav}</nav>\n{body}\n</body></html>\n')

    def document(self, path):
        m = markdown.Markdown(extensions=["tables", "fenced_code", "sane_lists", "toc"],
                              extension_configs={"toc": {"slugify": slug}})
        body = m.convert(re.sub(r"<!--.*?-->\n?", "", read(path), flags=re.S))
        body = re.sub(r'(href|src)="([^"]*)"', lambda x: '{}="{}"'.format(
            x[1], self.target(path, html.unescape(x[2]))), body)
        title = re.search(r"^# (.*)$", read(path), re.M)
        self.write(path, self.frame(path, title[1] if title else path, body))
        return set(re.findall(r'id="([^"]*)"', body))

    def source(self, path):
        if os.path.isdir(os.path.join(ROOT, path)):
            text = "\n".join(sorted(os.listdir(os.path.join(ROOT, path))))
        else:
            text = read(path)
        body = f"<h1>{html.escape(path)}</h1>\n<pre>{html.escape(text)}</pre>"
        self.write(path, self.frame(path, path, body))
        return set()

    def make(self):
        while self.todo:
            path = self.todo.pop()
            if path in self.done:
                continue
            self.done[path] = set()  # before it leads to itself
            if path.endswith(".png"):
                at = os.path.join(self.out, page_of(path))
                os.makedirs(os.path.dirname(at), exist_ok=True)
                shutil.copy(os.path.join(ROOT, path), at)
            else:
                make = self.document if is_text(path) else self.source
                self.done[path] = make(path)
        for path, link, to, anchor in self.links:
            if anchor and is_text(to) and anchor not in self.done[to]:
                sys.exit(f"site: {path}: {link}: there is no such heading")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: site.py OUT")
    out = sys.argv[1]
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    with open(os.path.join(out, "style.css"), "w", encoding="utf-8") as f:
        f.write(STYLE)
    site = Site(out)
    site.make()
    print(len(site.done), "pages")


main()
