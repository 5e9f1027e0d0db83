/* op2-docs <table>: a *.def table as a Markdown table, for tools/docs.sh, so that
 * documents cannot say something else than the code does. */
#include "base/err.h"
#include "base/opt.h"
#include "base/types.h"
#include "ir/ir.h"

#include <stdio.h>
#include <string.h>

/* A cell: `|` would end it. */
static void
cell(const char *text) {
  printf(" ");
  for (; *text; text++) printf(*text == '|' ? "\\|" : "%c", *text);
  printf(" |");
}

static void
row(const char *const *cells, int n) {
  printf("|");
  for (int i = 0; i < n; i++) cell(cells[i]);
  printf("\n");
}

#define ROW(...)                                                               \
  row((const char *const[]){__VA_ARGS__},                                      \
      (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)))

static void
docs_options(void) {
  ROW("variable", "type", "default", "over ranks", "meaning");
  ROW("---", "---", "---", "---", "---");
#define OPT(field, env, type, def, ranks, line)                                \
  ROW("`" env "`", #type, *def ? def : "(empty)", #ranks, line);
#include "base/opt.def"
#undef OPT
}

static void
docs_counters(void) {
  ROW("counter", "counts");
  ROW("---", "---");
#define COUNTER(name, what) ROW("`" #name "`", what);
#include "base/counters.def"
#undef COUNTER
}

static void
docs_reasons(void) {
  ROW("counter", "loops ran because", "what would avoid it");
  ROW("---", "---", "---");
#define REASON(name, counter, because, instead)                                \
  ROW("`flushes_" #counter "`", because, instead);
#include "base/reasons.def"
#undef REASON
}

static void
docs_events(void) {
  ROW("event", "as", "in the timeline", "what");
  ROW("---", "---", "---", "---");
#define EVENT(kind, as, row, what) ROW("`" #kind "`", #as, #row, what);
#include "base/events.def"
#undef EVENT
}

static void
docs_errors(void) {
  ROW("status", "value", "meaning");
  ROW("---", "---", "---");
#define ERR(name, value, text) ROW("`OP2_ERR_" #name "`", #value, text);
#include "base/err.def"
#undef ERR
}

static void
docs_passes(void) {
  ROW("pass", "what it does");
  ROW("---", "---");
#define PASS(name, needs, keeps, options, off, what) ROW("`" #name "`", what);
#include "passes/passes.def"
#undef PASS
}

static void
docs_ops(void) {
  ROW("operation", "meaning");
  ROW("---", "---");
#define OP(name, text, min_args, max_args, root, meaning)                      \
  ROW("`" text "`", meaning);
#include "ir/ops.def"
#undef OP
}

#define NUMBER_NO ""
#define NUMBER_I32 "`i32`"
#define NUMBER_I64 "`i64`"
static void
docs_args(void) {
  ROW("word", "its number", "through maps", "meaning");
  ROW("---", "---", "---", "---");
#define ARG(name, word, of, map, number, meaning)                              \
  ROW(*word ? "`" word "`" : "an access", NUMBER_##number, map ? "yes" : "no", \
      meaning);
#include "ir/args.def"
#undef ARG
}

static void
docs_access(void) {
  ROW("access", "reads", "writes", "commutes with its kind");
  ROW("---", "---", "---", "---");
#define ACCESS(name, text, code, reads, writes, commutes, identity)            \
  ROW("`" text "`", reads ? "yes" : "no", writes ? "yes" : "no",               \
      commutes ? "yes" : "no");
#include "base/access.def"
#undef ACCESS
}

static void
docs_types(void) {
  ROW("type", "bytes", "C type", "kind");
  ROW("---", "---", "---", "---");
#define TYPE(name, text, bytes, ctype, kind)                                   \
  ROW("`" text "`", #bytes, "`" #ctype "`", #kind);
#include "base/types.def"
#undef TYPE
}

static void
docs_flags(void) {
  ROW("word", "of", "meaning");
  ROW("---", "---", "---");
#define FLAG(owner, text, bit, meaning) ROW("`" text "`", #owner, meaning);
#include "ir/flags.def"
#undef FLAG
}

static void
docs_rows(void) {
  ROW("rows", "made from", "meaning");
  ROW("---", "---", "---");
#define ROWS(name, text, of, meaning) ROW("`" text "`", #of, meaning);
#include "ir/rows.def"
#undef ROWS
}

static void
docs_walks(void) {
  ROW("walk", "on", "elements may meet", "meaning");
  ROW("---", "---", "---", "---");
#define WALK(name, text, host, device, safe, meaning)                          \
  ROW("`" text "`",                                                            \
      host &&device ? "host, device"                                           \
      : host        ? "host"                                                   \
                    : "device",                                                       \
      safe == 0   ? "no"                                                       \
      : safe == 1 ? "in writes through maps"                                   \
                  : "yes",                                                     \
      meaning);
#include "ir/walks.def"
#undef WALK
}

static void
docs_teams(void) {
  ROW("team", "meaning");
  ROW("---", "---");
#define TEAM(name, text, meaning) ROW("`" text "`", meaning);
#include "ir/teams.def"
#undef TEAM
}

static void
docs_holds(void) {
  ROW("hold", "of", "meaning");
  ROW("---", "---", "---");
#define HOLD(name, text, of, meaning) ROW("`" text "`", #of, meaning);
#include "ir/holds.def"
#undef HOLD
}

static void
docs_targets(void) {
  ROW("target", "device", "what it is");
  ROW("---", "---", "---");
#define TARGET(name, device, what)                                             \
  ROW("`" #name "`", device ? "yes" : "no", what);
#include "base/target.def"
#undef TARGET
}

/* A line for each state, a column for each access. */
static void
docs_residency(void) {
  static const struct {
    const char *state, *after, *copies;
  } rows[] = {
#define RESIDENCY(state, access, after, up, down)                              \
  {#state, #after, up ? ", " #up " up" : down ? ", " #down " down" : ""},
#include "test/unit/residency.def"
#undef RESIDENCY
  };
  const size_t n = sizeof rows / sizeof *rows;
  printf("| state | read | full write | update | look | writable look |\n"
         "| --- | --- | --- | --- | --- | --- |");
  for (size_t i = 0; i < n; i++) {
    if (!i || strcmp(rows[i].state, rows[i - 1].state))
      printf("\n| %s |", rows[i].state);
    printf(" %s%s |", rows[i].after, rows[i].copies);
  }
  printf("\n");
}

static const struct {
  const char *name;
  void (*print)(void);
} tables[] = {
    {"options", docs_options},
    {"counters", docs_counters},
    {"errors", docs_errors},
    {"passes", docs_passes},
    {"ops", docs_ops},
    {"args", docs_args},
    {"access", docs_access},
    {"types", docs_types},
    {"flags", docs_flags},
    {"targets", docs_targets},
    {"residency", docs_residency},
    {"walks", docs_walks},
    {"holds", docs_holds},
    {"rows", docs_rows},
    {"teams", docs_teams},
    {"reasons", docs_reasons},
    {"events", docs_events},
};

int
main(int argc, char **argv) {
  for (size_t i = 0; argc == 2 && i < sizeof tables / sizeof *tables; i++)
    if (!strcmp(argv[1], tables[i].name)) {
      tables[i].print();
      return 0;
    }
  fprintf(stderr,
          "usage: op2-docs options|counters|errors|passes|ops|access|types|"
          "flags|targets|residency|walks|holds|rows|teams|reasons\n");
  return 2;
}
