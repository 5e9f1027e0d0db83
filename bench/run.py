#!/usr/bin/env python3
"""Measure the benchmarks in one interleaved run and compare.

    bench/run.py BUILD [--rounds 5] [--iters N] [--size I J] [--only airfoil]

Each round runs every program once, in turns (A B C A B C ...), so that a slow
minute of the machine falls on all of them. Reported are medians and
interquartile ranges over the rounds, and speed-ups over the plain-C reference
in both builds (OP2 users' flags; the flags of this library's code generator)
and over the library itself under OP2_EAGER=1; with OP2_GATHER=always, too, which
computes increments where they land. The reference is one loop per
kernel on one thread and OpenMP over coloured blocks on more, with the block
size that was fastest in a short trial before; where there are several
references in one build (Airfoil: loops as they stand, and eight elements at a
time), the fastest counts. Below each table stand the ratios over the fastest
reference of both builds.

Results are appended to bench/results/<date>.jsonl, one line a program and
thread count. A run of all benchmarks rewrites the tables between the markers:
the ratios in README.md (the last column: what being lazy gave, the median under
OP2_EAGER=1 over that without, at one thread count after the other), all that was measured in bench/results/tables.md.
Ends with 1 if a program failed or an answer differs from the reference's.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- bench -->", "<!-- bench end -->"
BLOCKS = (64, 128, 256, 512, 1024, 2048, 4096)
NOBODY = "-"

# label, program with its options, kind: "ref" and "ref_jit" are compared with,
# "eager" too; "gather" is a form on request; "limit" is what the library could
# become.
LIMIT = "../limit/airfoil_limit"
AIRFOIL = (
    ("plain C, OP2's flags", "airfoil_ref", "ref"),
    ("plain C in lanes, OP2's flags", "airfoil_ref --simd", "ref"),
    ("plain C, JIT's flags", "airfoil_ref_jit", "ref_jit"),
    ("plain C in lanes, JIT's flags", "airfoil_ref_jit --simd", "ref_jit"),
    ("op2lazy, eager", "airfoil", "eager"),
    ("op2lazy, C", "airfoil", ""),
    ("op2lazy, C++ newest form", "airfoil_cpp", ""),
    ("op2lazy, deferred globals", "airfoil_lazy", ""),
    ("op2lazy, gathered", "airfoil", "gather"),
    ("by hand, increments", f"{LIMIT} --form increments", "limit"),
    ("by hand, gather", f"{LIMIT} --geometry corners", "limit"),
    ("by hand, tiles of 5 steps",
     f"{LIMIT} --form tiled --steps 5 --geometry stored --derived kept",
     "limit"),
)
SHUFFLED = tuple((label, f"{program} --shuffle 5", kind)
                 for label, program, kind in AIRFOIL
                 if kind not in ("limit", "gather")
                 and program != "airfoil_cpp")
SHUFFLED_RCM = tuple((label, program + " --rcm" * kind.startswith("ref"), kind)
                     for label, program, kind in SHUFFLED)
JACOBI = (
    ("plain C, OP2's flags", "jacobi_ref", "ref"),
    ("plain C, JIT's flags", "jacobi_ref_jit", "ref_jit"),
    ("op2lazy, eager", "jacobi_double", "eager"),
    ("op2lazy", "jacobi_double", ""),
    ("op2lazy, gathered", "jacobi_double", "gather"),
)
FEM = (
    ("plain C, OP2's flags", "fem_ref", "ref"),
    ("plain C, JIT's flags", "fem_ref_jit", "ref_jit"),
    ("op2lazy, eager", "fem", "eager"),
    ("op2lazy", "fem", ""),
    ("op2lazy, gathered", "fem", "gather"),
)
SHALLOW = (
    ("plain C, OP2's flags", "shallow_ref", "ref"),
    ("plain C, JIT's flags", "shallow_ref_jit", "ref_jit"),
    ("op2lazy, eager", "shallow", "eager"),
    ("op2lazy", "shallow", ""),
    ("op2lazy, gathered", "shallow", "gather"),
)


def family(program, options="", reference=""):
    """Cases of a program whose reference is <program>_ref, with options of
    both and of the reference alone."""
    ref = reference or program + "_ref"
    name = ref.split()[0]
    jit = ref.replace(name, name + "_jit", 1)
    return tuple((label, f"{which} {options}".strip(), kind)
                 for label, which, kind in (
                     ("plain C, OP2's flags", ref, "ref"),
                     ("plain C, JIT's flags", jit, "ref_jit"),
                     ("op2lazy, eager", program, "eager"),
                     ("op2lazy", program, ""),
                     ("op2lazy, gathered", program, "gather")))


EULER = family("euler")
MULTIGRID = family("multigrid")
LAYERS = family("layers")
CHEBYSHEV_4 = family("chebyshev", "--degree 4")
CHEBYSHEV_8 = family("chebyshev", "--degree 8")
CHEBYSHEV_ROWS = family("chebyshev_rows", "--degree 8",
                        "chebyshev_ref --rows")

DIFFUSION = family("diffusion")
ICOSAHEDRAL = family("icosahedral") + (
    ("op2lazy, by table", "icosahedral --table", ""),)
ICOSAHEDRAL_64 = family("icosahedral", "--layers 64") + (
    ("op2lazy, by table", "icosahedral --layers 64 --table", ""),)

WANTED = {"op2lazy, C": (1.5, 1.2), "op2lazy, deferred globals": (1.9, 1.5)}


class Bench(typing.NamedTuple):
    cases: tuple
    size: tuple
    iters: int
    warmup: int
    elements: str
    factor: int  # elements for I*J = 1
    within: float  # relative difference of answers that is allowed
    answer: str = "rms"  # the value of the result line that is compared
    folder: str = ""  # of bench/; the benchmark's name if empty
    # wanted: by label, at least these ratios over plain C and over plain C with
    # the JIT's flags, at every thread count
    wanted: dict = {}
    count: typing.Callable | None = None  # elements of a size, if not I*J*factor


def euler_nodes(i, j):
    """About: of hexahedra I x J x J half have a node in their middle."""
    return (i + 1) * (j + 1) * (j + 1) + i * j * j // 2


# Conjugate gradients amplify rounding.
BENCHMARKS = {
    "airfoil": Bench(AIRFOIL, (400, 600), 30, 10, "cells", 3, 1e-9,
                     wanted=WANTED),
    "airfoil_large": Bench(AIRFOIL, (800, 1200), 8, 3, "cells", 3, 1e-9,
                           folder="airfoil", wanted=WANTED),
    "airfoil_small": Bench(AIRFOIL, (32, 48), 1000, 100, "cells", 3, 1e-9,
                           folder="airfoil",
                           wanted={"op2lazy, C": (1.2, 1.0)}),
    "airfoil_shuffled": Bench(SHUFFLED, (400, 600), 8, 3, "cells", 3, 1e-9,
                              folder="airfoil",
                              wanted={"op2lazy, C": (7.0, 0.0)}),
    "airfoil_shuffled_rcm": Bench(SHUFFLED_RCM, (400, 600), 8, 3, "cells", 3,
                                  1e-9, folder="airfoil",
                                  wanted={"op2lazy, C": (1.5, 1.2)}),
    "jacobi": Bench(JACOBI, (1000, 1000), 60, 10, "nodes", 1, 1e-9,
                    wanted={"op2lazy": (1.3, 1.1)}),
    "fem": Bench(FEM, (400, 400), 100, 10, "cells", 1, 1e-4,
                 wanted={"op2lazy": (1.3, 1.1)}),
    "shallow": Bench(SHALLOW, (600, 400), 60, 10, "cells", 2, 1e-9, "max_h",
                     wanted={"op2lazy": (1.3, 1.1)}),
    "euler": Bench(EULER, (40, 40), 12, 2, "nodes", 1, 1e-9, count=euler_nodes,
                   wanted={"op2lazy": (2.5, 2.0)}),
    "euler_shuffled": Bench(family("euler", "--shuffle 5"), (40, 40), 6, 2,
                            "nodes", 1, 1e-9, folder="euler",
                            count=euler_nodes),
    "multigrid": Bench(MULTIGRID, (1000, 1000), 10, 5, "nodes", 1, 1e-6,
                       wanted={"op2lazy": (2.0, 1.7)}),
    "layers": Bench(LAYERS, (150, 150), 20, 5, "cells", 120, 1e-9,
                    folder="columns"),
    "chebyshev_4": Bench(CHEBYSHEV_4, (107, 107), 6, 2, "nodes", 1, 1e-8,
                         folder="chebyshev", count=euler_nodes),
    "chebyshev_8": Bench(CHEBYSHEV_8, (107, 107), 6, 2, "nodes", 1, 1e-6,
                         folder="chebyshev", count=euler_nodes,
                         wanted={"op2lazy": (1.5, 0.0)}),
    "chebyshev_rows_8": Bench(CHEBYSHEV_ROWS, (107, 107), 6, 2, "nodes", 1,
                              1e-6, folder="chebyshev", count=euler_nodes),
    "diffusion": Bench(DIFFUSION, (1024, 1024), 10, 4, "points", 32, 1e-9,
                       folder="boxes"),
    "icosahedral": Bench(ICOSAHEDRAL, (4000, 4000), 10, 4, "cells", 2, 1e-9,
                         folder="boxes"),
    "icosahedral_64": Bench(ICOSAHEDRAL_64, (500, 500), 10, 4, "cells", 2,
                            1e-9, folder="boxes"),
}


class Failed(Exception):
    pass


def run(args, bench, program, kind, threads, iters, block):
    """One run; the fields of its result line as a dict."""
    what = BENCHMARKS[bench]
    name, *options = program.split()
    path = args.build / "bench" / (what.folder or bench) / name
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), OP2_LOG="0")
    env.pop("OP2_EAGER", None)
    env.pop("OP2_GATHER", None)
    env.setdefault("OP2_CACHE_DIR", str(args.build / "cache"))
    size = args.size or what.size
    cmd = [str(path), *options, "--size", str(size[0]), str(size[1]),
           "--iters", str(iters),
           "--warmup", str(min(what.warmup, iters - 1))]
    if kind.startswith("ref"):
        cmd += ["--threads", str(threads), "--block", str(block)]
    if name.endswith("_lazy"):
        cmd += ["--flush-every", str(what.warmup)]
    if kind == "eager":
        env["OP2_EAGER"] = "1"
    if kind == "gather":
        env["OP2_GATHER"] = "always"
    try:
        done = subprocess.run(cmd, env=env, capture_output=True, text=True,
                              timeout=1200)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise Failed(f"{' '.join(cmd)}: {e}") from e
    lines = [l for l in done.stdout.splitlines() if l.startswith("result ")]
    if done.returncode or not lines:
        raise Failed(f"{' '.join(cmd)}: exit {done.returncode}: "
                     f"{(done.stderr or done.stdout)[-400:]}")
    return dict(f.split("=", 1) for f in lines[-1].split()[1:])


def tune(args, bench, cases):
    """The fastest block size of each reference, per thread count."""
    best = {}
    for _, program, kind in cases:
        for threads in args.threads:
            if not kind.startswith("ref") or threads == 1:
                continue
            times = {b: float(run(args, bench, program, kind, threads,
                                  min(20, BENCHMARKS[bench].iters), b)
                              ["ms_per_iter"]) for b in BLOCKS}
            best[program, threads] = min(times, key=times.get)
            print(f"  {program}, {threads} threads: block "
                  f"{best[program, threads]}", flush=True)
    return best


def measure(args, bench):
    """Samples {(label, threads): [ms]}, answers likewise, failures, blocks."""
    what = BENCHMARKS[bench]
    cases, iters = what.cases, args.iters or what.iters
    samples, answers, failures = {}, {}, {}
    try:
        blocks = tune(args, bench, cases)
    except Failed as e:
        return samples, answers, {("tuning", 0): str(e)}, {}
    for r in range(args.rounds):
        for threads in args.threads:
            for label, program, kind in cases:
                key = label, threads
                if key in failures:
                    continue
                try:
                    got = run(args, bench, program, kind, threads, iters,
                              blocks.get((program, threads), 1024))
                except Failed as e:
                    failures[key] = str(e)
                    print(f"  FAILED {e}", flush=True)
                    continue
                samples.setdefault(key, []).append(float(got["ms_per_iter"]))
                answers[key] = float(got[what.answer])
        print(f"  round {r + 1} of {args.rounds}", flush=True)
    return samples, answers, failures, blocks


def iqr(values):
    if len(values) < 2:
        return 0.0
    q = statistics.quantiles(values, n=4, method="inclusive")
    return q[2] - q[0]


def best_of(cases, medians, threads, *kinds):
    """The least median of these kinds, or None."""
    found = [medians[c[0], threads] for c in cases
             if c[2] in kinds and (c[0], threads) in medians]
    return min(found, default=None)


def ratio(base, value):
    return NOBODY if base is None else f"{base / value:.2f}"


def table(bench, samples, threads):
    cases = BENCHMARKS[bench].cases
    medians = {k: statistics.median(v) for k, v in samples.items()}
    rows = []
    for t in threads:
        for label, _, kind in cases:
            key = label, t
            if key not in samples:
                continue
            rows.append([str(t), label, f"{medians[key]:.3g}",
                         f"{iqr(samples[key]):.2g}"] +
                        [NOBODY if k == kind else
                         ratio(best_of(cases, medians, t, k), medians[key])
                         for k in ("ref", "ref_jit", "eager")])
    return rows


def wanted(bench, samples, threads):
    """A line for each ratio that is wanted: does it hold?"""
    what = BENCHMARKS[bench]
    medians = {k: statistics.median(v) for k, v in samples.items()}
    lines = []
    for t in threads:
        for label, least in what.wanted.items():
            if (label, t) not in medians:
                continue
            found = [best_of(what.cases, medians, t, kind) for kind in
                     ("ref", "ref_jit")]
            found = [base / medians[label, t] if base else 0 for base in found]
            holds = all(f >= w for f, w in zip(found, least))
            lines.append(f"  wanted: {label}, threads {t}: "
                         f"{least[0]:g} / {least[1]:g}, found {found[0]:.2f} / "
                         f"{found[1]:.2f}: {'holds' if holds else 'MISSED'}")
    return lines


def summary(bench, samples, threads):
    """One line a thread count: the library over the fastest reference."""
    cases = BENCHMARKS[bench].cases
    medians = {k: statistics.median(v) for k, v in samples.items()}
    lines = []
    for t in threads:
        best = best_of(cases, medians, t, "ref", "ref_jit")
        ratios = [f"{label} {ratio(best, medians[label, t])}"
                  for label, _, kind in cases
                  if not kind and (label, t) in medians]
        if best and ratios:
            lines.append(f"Over the fastest plain C, {t} "
                         f"thread{'s' if t > 1 else ''}: {'; '.join(ratios)}.")
    return lines


HEAD = ["threads", "program", "ms per iteration", "IQR", "over plain C",
        "over plain C, JIT's flags", "over eager"]


BRIEF = "op2lazy: ms per iteration (times the best plain C's speed, OP2's " \
    "flags / the JIT's flags)"


def brief_head(threads):
    head = [BRIEF] + [f"{t} thread{'s' if t > 1 else ''}" for t in threads]
    head.append("from being lazy, " + " / ".join(str(t) for t in threads) +
                " threads")
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]


def brief(title, bench, samples, threads):
    """Rows for README.md: the library's programs, a column a thread count."""
    cases = BENCHMARKS[bench].cases
    medians = {k: statistics.median(v) for k, v in samples.items()}
    rows = []
    for label, _, kind in cases:
        if kind or (label, threads[0]) not in medians:
            continue
        row = [f"{title}: {label.removeprefix('op2lazy').lstrip(', ')}"
               .rstrip(": ")]
        for t in threads:
            ms = medians[label, t]
            over = [ratio(best_of(cases, medians, t, k), ms)
                    for k in ("ref", "ref_jit")]
            row.append(f"{ms:.3g} ({over[0]} / {over[1]})")
        row.append(" / ".join(ratio(best_of(cases, medians, t, "eager"),
                                    medians[label, t]) for t in threads))
        rows.append("| " + " | ".join(row) + " |")
    return rows


def markdown(title, rows):
    out = [title, "", "| " + " | ".join(HEAD) + " |",
           "|" + "---|" * len(HEAD)]
    return "\n".join(out + ["| " + " | ".join(r) + " |" for r in rows])


def plain(title, rows):
    widths = [max(len(r[i]) for r in [HEAD] + rows) for i in range(len(HEAD))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(r, widths)).rstrip()
             for r in [HEAD] + rows]
    return "\n".join([title] + lines)


def check_answers(bench, answers):
    """Every program's answer against the first reference's."""
    what, wrong = BENCHMARKS[bench], []
    for (label, threads), value in answers.items():
        want = answers.get((what.cases[0][0], threads))
        if want is None:
            continue
        if not abs(value - want) <= what.within * abs(want):
            wrong.append(f"{bench}, {label}, {threads} threads: {what.answer} "
                         f"{value!r}, expected {want!r}")
    return wrong


def words(*cmd):
    try:
        return subprocess.run(cmd, capture_output=True, text=True, cwd=ROOT,
                              check=False).stdout.strip()
    except OSError:
        return ""


def host():
    cpu = platform.processor()
    try:
        for line in open("/proc/cpuinfo", encoding="ascii", errors="replace"):
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    commit = words("git", "rev-parse", "--short", "HEAD")
    if words("git", "status", "--porcelain", "--untracked-files=no"):
        commit += "+"
    return {"commit": commit, "cpu": cpu, "cpus": os.cpu_count(),
            "compiler": words("clang-19", "--version").split("\n")[0]}


def save(args, bench, facts, samples, blocks):
    now = datetime.datetime.now(datetime.timezone.utc)
    args.results.mkdir(parents=True, exist_ok=True)
    programs = {c[0]: c[1] for c in BENCHMARKS[bench].cases}
    size = args.size or BENCHMARKS[bench].size
    path = args.results / f"{now.date()}.jsonl"
    with open(path, "a", encoding="utf-8") as f:
        for (label, threads), values in samples.items():
            line = dict(facts, time=now.isoformat(timespec="seconds"),
                        metric=f"{bench}: {label}", program=programs[label],
                        threads=threads, size=list(size),
                        iters=args.iters or BENCHMARKS[bench].iters,
                        unit="ms per iteration", n=len(values),
                        median=statistics.median(values), iqr=iqr(values))
            block = blocks.get((programs[label], threads))
            if block:
                line["block"] = block
            f.write(json.dumps(line) + "\n")
    return path


def rewrite(readme, text):
    """Put text between the markers; False if there are none."""
    try:
        old = readme.read_text(encoding="utf-8")
    except OSError:
        return False
    if BEGIN not in old or END not in old:
        return False
    head, rest = old.split(BEGIN, 1)
    tail = rest.split(END, 1)[1]
    readme.write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}", encoding="utf-8")
    return True


def parse():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("build", type=pathlib.Path)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--iters", type=int, help="iterations of each run")
    p.add_argument("--size", type=int, nargs=2, metavar=("I", "J"))
    p.add_argument("--threads", type=lambda s: [int(t) for t in s.split(",")],
                   default=[1, 2], help="thread counts, as 1,2")
    p.add_argument("--only", choices=BENCHMARKS, action="append")
    p.add_argument("--results", type=pathlib.Path,
                   default=ROOT / "bench" / "results")
    p.add_argument("--no-save", action="store_true",
                   help="neither results nor documents are written")
    p.add_argument("--readme", type=pathlib.Path, default=ROOT / "README.md")
    p.add_argument("--details", type=pathlib.Path,
                   default=ROOT / "bench" / "results" / "tables.md")
    return p.parse_args()


def title_of(args, bench):
    what = BENCHMARKS[bench]
    size = args.size or what.size
    n = (what.count(*size) if what.count
         else size[0] * size[1] * what.factor)
    n = f"{n:,}".replace(",", " ")
    return f"{bench}, {n} {what.elements}"


def main():
    args = parse()
    args.build = args.build.resolve()
    facts, texts, short, bad = host(), [], brief_head(args.threads), []
    for bench in args.only or BENCHMARKS:
        print(bench, flush=True)
        samples, answers, failures, blocks = measure(args, bench)
        bad += list(failures.values()) + check_answers(bench, answers)
        rows = table(bench, samples, args.threads)
        if not rows:
            continue
        title = title_of(args, bench)
        lines = summary(bench, samples, args.threads)
        print("\n".join(["", plain(title, rows), *lines,
                         *wanted(bench, samples, args.threads), ""]),
              flush=True)
        short += brief(title, bench, samples, args.threads)
        texts.append("\n\n".join([markdown(title, rows)] +
                                 (["<br>\n".join(lines)] if lines else [])))
        if not args.no_save:
            print(f"appended to {save(args, bench, facts, samples, blocks)}")
    if texts and not args.no_save and not args.only:
        note = (f"{facts['cpu']}, {facts['cpus']} CPUs; commit "
                f"{facts['commit']}; medians of {args.rounds} rounds.")
        for path, text in ((args.readme, [note, "\n".join(short)]),
                           (args.details, [note] + texts)):
            if rewrite(path, "\n\n".join(text)):
                print(f"table in {path} rewritten")
            else:
                bad.append(f"no markers {BEGIN} and {END} in {path}")
    for line in bad:
        print("FAILED", line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
