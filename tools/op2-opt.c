/* op2-opt: read a trace, run passes on it, print it.
 *
 *   op2-opt [options] [file.irt]        standard input without a file, or with
 *   -
 *     -p 'dce,fuse{max=8}'  passes to run, in this order; -p default: as a
 *                           program does
 *     --disable NAME,...    leave these passes out
 *     --verify              check every rule of doc/ir.md, before and after
 *     --stress              print and re-parse after each pass
 *     --after               print the trace after each pass, too
 *     --remarks             what passes did and why not, as comments
 *     --counts              how many loops, regions, ... instead of the text
 *     --extents N           how far around its elements each loop runs, and what
 *                           must be valid, where none shall run beyond level N.
 *                           points: around boxes; readers: as far as loops read;
 *                           in-place: what that makes wrong in blocks
 *     --dot                 the graph for Graphviz instead of the text
 *     --list                passes and what they do
 *
 * A trace that passes are run on is verified first. Messages go to stderr; exit
 * status 1 for a trace that is wrong, 2 for a wrong command line.
 */
#include "ir/extent.h"
#include "passes/pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct command {
  const char *pipeline, *disable, *extents, *file;
  int verify, stress, after, remarks, counts, dot, list;
};

static int
usage(void) {
  fputs(
      "usage: op2-opt [-p 'pass,pass{option=1}'] [--disable pass,...]\n"
      "               [--verify] [--stress] [--after] [--remarks]\n"
      "               [--counts | --extents N|points|readers|in-place | --dot] "
      "[file.irt | -]\n"
      "       op2-opt --list\n",
      stderr);
  return 2;
}

/* One word of the command line; returns how many it takes, 0: unknown. */
static int
read_word(struct command *c, char **argv) {
  const struct {
    const char *name;
    int *flag;
  } flags[] = {{"--verify", &c->verify}, {"--stress", &c->stress},
               {"--after", &c->after},   {"--remarks", &c->remarks},
               {"--counts", &c->counts}, {"--dot", &c->dot},
               {"--list", &c->list}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (!strcmp(argv[0], flags[i].name)) return *flags[i].flag = 1;
  const char **text = !strcmp(argv[0], "-p")          ? &c->pipeline
                      : !strcmp(argv[0], "--disable") ? &c->disable
                      : !strcmp(argv[0], "--extents") ? &c->extents
                                                      : NULL;
  if (text) return argv[1] ? (*text = argv[1], 2) : 0;
  if ((argv[0][0] == '-' && argv[0][1]) || c->file) return 0;
  c->file = argv[0];
  return 1;
}

/* The text of a file, or of standard input; its name for messages. */
static status
read_text(const char *file, struct str *text, const char **name_out) {
  bool in = !file || !strcmp(file, "-");
  *name_out = in ? "<stdin>" : file;
  int bad = str_read_file(text, in ? "/dev/stdin" : file);
  if (bad) FAIL(ERR_IO, "%s: %s", *name_out, strerror(bad));
  if (strlen(text->s) != text->len)
    FAIL(ERR_ARG, "%s: a NUL byte in the text", *name_out);
  return OK;
}

static status
verify(const struct ir_trace *t, const char *name) {
  struct str why = STR_INIT;
  int n = ir_verify(t, &why);
  if (n)
    err_set(ERR_ARG, "%s: %d failure%s\n%.*s", name, n, n == 1 ? "" : "s",
            (int)why.len - 1, why.s);
  str_clear(&why);
  return n ? ERR_ARG : OK;
}

static void
print_text(const struct ir_trace *t) {
  struct str text = STR_INIT;
  ir_print(t, &text);
  fputs(text.s, stdout);
  str_clear(&text);
}

static void
print_after(void *user, const char *pass, const struct ir_trace *t) {
  (void)user;
  printf("; after %s\n", pass);
  print_text(t);
}

static void
print_dot(const struct ir_trace *t) {
  struct str text = STR_INIT;
  ir_dot(t, &text);
  fputs(text.s, stdout);
  str_clear(&text);
}

/* What a trace costs to run, in a line. */
static void
print_counts(const struct ir_trace *t) {
  uint32_t deferred = 0, regions = 0, ops[IR_OP_COUNT] = {0};
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const struct ir_node *node = &t->nodes[n];
    bool first = node->region == IR_NONE || t->regions[node->region].first == n;
    if (ir_deferred(node)) {
      deferred++;
      continue;
    }
    ops[node->op]++;
    regions += node->op == IR_LOOP && first;
  }
  printf("loops %u, regions %u, aliases %u, copies %u, deferred %u, buffers "
         "%u\n",
         ops[IR_LOOP], regions, ops[IR_ALIAS], ops[IR_COPY], deferred,
         t->nbuffers);
}

static void
print_areas(const struct ir_trace *t, bool readers) {
  struct ir_areas x = ir_areas_build(t, readers);
  struct str text = STR_INIT;
  ir_areas_print(t, &x, &text);
  fputs(text.s, stdout);
  str_clear(&text);
  ir_areas_free(&x);
}

static void
print_clash(const struct ir_trace *t) {
  struct ir_clash c;
  struct str text = STR_INIT;
  if (ir_clash_find(t, &c)) ir_clash_print(t, &c, &text);
  fputs(text.len ? text.s : "right in blocks", stdout);
  putchar('\n');
  str_clear(&text);
}

static status
print_extents(const struct ir_trace *t, const char *limit) {
  char *end;
  bool readers = !strcmp(limit, "readers");
  if (!strcmp(limit, "in-place")) {
    print_clash(t);
    return OK;
  }
  if (readers || !strcmp(limit, "points")) {
    print_areas(t, readers);
    return OK;
  }
  long n = strtol(limit, &end, 10);
  if (end == limit || *end || n < 0 || n > INT16_MAX)
    FAIL(ERR_ARG,
         "--extents: expected a level, 0 or more, points, readers or "
         "in-place, found \"%s\"",
         limit);
  struct ir_extent x = ir_extent_build(t, (int)n);
  struct str text = STR_INIT;
  ir_extent_print(t, &x, &text);
  fputs(text.s, stdout);
  str_clear(&text);
  ir_extent_free(&x);
  return OK;
}

/* Remarks as comments; a line break in one would end the comment. */
static void
print_remarks(const struct ir_trace *t) {
  for (uint32_t i = 0; i < t->nremarks; i++) {
    fputs("; remark: ", stdout);
    for (const char *p = t->remarks[i]; *p; p++) putchar(*p == '\n' ? ' ' : *p);
    putchar('\n');
  }
}

static status
run(const struct command *c, struct ir_trace **t, const char *name) {
  if (c->verify || c->pipeline) TRY(verify(*t, name));
  if (c->pipeline) {
    bool all = !strcmp(c->pipeline, "default");
    struct pass_options o = {.pipeline = all ? NULL : c->pipeline,
                             .disable = c->disable,
                             .verify = c->verify,
                             .stress = c->stress,
                             .after = c->after ? print_after : NULL};
    TRY(pass_run(t, &o));
  }
  if (c->after && c->pipeline) return OK;
  if (c->extents) return print_extents(*t, c->extents);
  if (c->counts)
    print_counts(*t);
  else if (c->dot)
    print_dot(*t);
  else
    print_text(*t);
  return OK;
}

static status
whole(const struct command *c) {
  struct str text = STR_INIT;
  struct ir_trace *t = NULL;
  const char *name;
  status st = read_text(c->file, &text, &name);
  if (st == OK) st = ir_parse(text.s, name, &t);
  if (st == OK) st = run(c, &t, name);
  if (st == OK && c->remarks) print_remarks(t);
  ir_trace_free(t);
  str_clear(&text);
  return st;
}

int
main(int argc, char **argv) {
  struct command c = {0};
  for (int i = 1, n; i < argc; i += n)
    if (!(n = read_word(&c, argv + i))) return usage();
  if (c.list) {
    struct str list = STR_INIT;
    pass_list(&list);
    fputs(list.s, stdout);
    str_clear(&list);
    return 0;
  }
  if (whole(&c) == OK) return 0;
  fflush(stdout);
  fprintf(stderr, "op2-opt: %s\n", err_last());
  return 1;
}
