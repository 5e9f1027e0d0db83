/* op2-view: what OP2_TRACE left behind, as one HTML page:
 *
 *   op2-view trace_dir [other_dir] [-o page.html]
 *   op2-view --timeline all.json trace_dir
 *
 * The page shows the graph of each different flush, before and after the
 * passes, a timeline, and the report; of two runs a comparison. It needs no
 * network and no other file. doc/debugging.md has an example. Exit status 1 for
 * a folder that is wrong, 2 for a wrong command line. */
#include "tools/view/view.h"

#include <stdio.h>
#include <string.h>

struct command {
  const char *folders[2], *page, *timeline;
  int nfolders;
  bool help;
};

static const char help[] =
    "usage: op2-view trace_dir [other_dir] [-o page.html]\n"
    "       op2-view --timeline all.json trace_dir\n"
    "\n"
    "Makes one HTML page of what a program left in its folder under "
    "OP2_TRACE=1\n"
    "(2: also after each pass), and OP2_REPORT=1 in the folder or beside it:\n"
    "\n"
    "  graph     loops, regions and versions of each different flush, before "
    "and\n"
    "            after the passes; repeated steps once, regions by their time\n"
    "  timeline  flushes, regions, exchanges, transfers, compiled code, "
    "plans,\n"
    "            by rank and thread\n"
    "  table     OP2_REPORT's, else times of the timeline\n"
    "  compare   of two folders: both runs, region by region\n"
    "\n"
    "  -o FILE          where to (op2_view.html)\n"
    "  --timeline FILE  instead of a page, the timelines of all ranks as one, "
    "for\n"
    "                   Perfetto and chrome://tracing\n"
    "  --help           this text\n";

static int
usage(void) {
  fputs("usage: op2-view trace_dir [other_dir] [-o page.html]\n"
        "       op2-view --timeline all.json trace_dir\n",
        stderr);
  return 2;
}

/* One word of the command line; returns how many it takes, 0: unknown. */
static int
read_word(struct command *c, char **argv) {
  const char **text = !strcmp(argv[0], "-o")           ? &c->page
                      : !strcmp(argv[0], "--timeline") ? &c->timeline
                                                       : NULL;
  if (text) return argv[1] ? (*text = argv[1], 2) : 0;
  if (!strcmp(argv[0], "--help")) return c->help = true;
  if (argv[0][0] == '-' || c->nfolders == 2) return 0;
  c->folders[c->nfolders++] = argv[0];
  return 1;
}

static bool
read_command(int argc, char **argv, struct command *c) {
  for (int i = 1, n; i < argc; i += n)
    if (!(n = read_word(c, argv + i))) return false;
  if (c->timeline && (c->page || c->nfolders > 1)) return false;
  return c->help || c->nfolders;
}

static status
make_page(const struct command *c) {
  struct view_run runs[2] = {{.json = STR_INIT}, {.json = STR_INIT}};
  const char *page = c->page ? c->page : "op2_view.html";
  status st = OK;
  for (int k = 0; st == OK && k < c->nfolders; k++)
    st = view_run_read(c->folders[k], &runs[k]);
  if (st == OK) st = view_page(runs, c->nfolders, page);
  for (int k = 0; st == OK && k < c->nfolders; k++)
    printf("%s: %s: %u traces, %u timelines\n", page, c->folders[k],
           runs[k].traces, runs[k].timelines);
  for (int k = 0; k < 2; k++) str_clear(&runs[k].json);
  return st;
}

int
main(int argc, char **argv) {
  struct command c = {0};
  if (!read_command(argc, argv, &c)) return usage();
  if (c.help) return fputs(help, stdout) < 0;
  status st = c.timeline ? view_merge(c.folders[0], c.timeline) : make_page(&c);
  if (st != OK) fprintf(stderr, "op2-view: %s\n", err_last());
  return st != OK;
}
