/* ir/parse.c, print.c, key.c, dot.c: texts of all kinds. */
#include "ir_make.h"

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static struct ir_trace *
parse(const char *text) {
  struct ir_trace *t;
  cr_assert_eq(ir_parse(text, "t", &t), OK, "%s", err_last());
  return t;
}

static void
print(const struct ir_trace *t, struct str *out) {
  str_reset(out);
  ir_print(t, out);
}

/* ---- round trips ------------------------------------------------------- */

Test(print, random_traces_come_back) {
  uint64_t r = 11;
  for (int round = 0; round < 300; round++) {
    struct ir_trace *t = random_trace(&r, 1 + rnd(&r, 6), rnd(&r, 20));
    if (rnd(&r, 2)) ir_add_live(t);
    struct str a = STR_INIT, b = STR_INIT;
    print(t, &a);
    struct ir_trace *u = parse(a.s);
    print(u, &b);
    cr_assert_str_eq(b.s, a.s);
    assert_legal(u);
    str_clear(&a);
    str_clear(&b);
    ir_trace_free(t);
    ir_trace_free(u);
  }
}

Test(print, any_bytes_make_a_name) {
  struct ir_trace *t = make_trace();
  struct str a = STR_INIT;
  for (int c = 1; c < 256; c++) {
    char name[] = {'x', (char)c, 'y', 0};
    make_dat(t, name, 0);
  }
  print(t, &a);
  struct ir_trace *u = parse(a.s);
  for (ir_ref d = 0; d < t->ndats; d++)
    cr_assert_str_eq(u->dats[d].name, t->dats[d].name);
  str_clear(&a);
  ir_trace_free(t);
  ir_trace_free(u);
}

/* ---- any text ---------------------------------------------------------- */

struct seeds {
  char **text;
  size_t n;
};

static struct seeds
read_seeds(void) {
  static const char *const dirs[] = {OP2_SOURCE_DIR "/test/ir/*.irt",
                                     OP2_SOURCE_DIR "/test/passes/*.irt"};
  struct seeds s = {0};
  size_t cap = 0;
  for (int d = 0; d < 2; d++) {
    glob_t g;
    if (glob(dirs[d], 0, NULL, &g)) continue;
    for (size_t i = 0; i < g.gl_pathc; i++) {
      struct str text = STR_INIT;
      if (!str_read_file(&text, g.gl_pathv[i]))
        VEC_PUSH(s.text, s.n, cap, strdup(text.s));
      str_clear(&text);
    }
    globfree(&g);
  }
  return s;
}

/* Change some bytes: overwrite, delete, repeat a stretch, or cut off. */
static void
mutate(struct str *b, uint64_t *r, const struct seeds *s) {
  static const char bytes[] = "%@.,:[](){}=#\"\\;0129x \n-a";
  uint32_t at = rnd(r, (uint32_t)b->len), left = (uint32_t)b->len - at;
  uint32_t n = 1 + rnd(r, left < 12 ? left : 12);
  struct str tail = STR_INIT;
  switch (rnd(r, 5)) {
  case 0: b->s[at] = bytes[rnd(r, sizeof bytes - 1)]; return;
  case 1: b->s[at] = (char)(1 + rnd(r, 255)); return;
  case 2: memmove(b->s + at, b->s + at + n, left - n + 1); break;
  case 3: /* a stretch of another text between */
    str_add(&tail, b->s + at);
    b->s[at] = 0;
    b->len = at;
    const char *other = s->text[rnd(r, (uint32_t)s->n)];
    size_t from = rnd(r, (uint32_t)strlen(other) + 1);
    str_printf(b, "%.*s%s", (int)n * 4, other + from, tail.s);
    str_clear(&tail);
    return;
  default: b->s[at] = 0;
  }
  b->len = strlen(b->s);
}

/* What parses prints as a text that is its own canonical form; what is legal
 * has a graph, too. */
static bool
try_text(const char *text) {
  struct ir_trace *t, *u;
  if (ir_parse(text, "t", &t) != OK) {
    cr_assert_eq(strncmp(err_last(), "t:", 2), 0, "%s", err_last());
    return false;
  }
  struct str a = STR_INIT, b = STR_INIT;
  print(t, &a);
  cr_assert_eq(ir_parse(a.s, "again", &u), OK, "%s\n%s", err_last(), a.s);
  print(u, &b);
  cr_assert_str_eq(b.s, a.s);
  if (!ir_verify(t, NULL)) {
    str_reset(&a);
    ir_dot(t, &a);
    ir_trace_free(ir_trace_clone(t));
  }
  str_clear(&a);
  str_clear(&b);
  ir_trace_free(t);
  ir_trace_free(u);
  return true;
}

Test(parse, mutated_texts, .timeout = 120) {
  uint64_t r = 13;
  struct seeds s = read_seeds();
  cr_assert_gt(s.n, 50);
  int good = 0, bad = 0;
  for (int round = 0; round < 15000; round++) {
    struct str b = STR_INIT;
    str_add(&b, s.text[rnd(&r, (uint32_t)s.n)]);
    for (uint32_t k = 1 + rnd(&r, 4); k > 0 && b.len; k--) mutate(&b, &r, &s);
    if (try_text(b.s))
      good++;
    else
      bad++;
    str_clear(&b);
  }
  cr_assert(good > 1000 && bad > 1000, "%d good, %d bad", good, bad);
  for (size_t i = 0; i < s.n; i++) free(s.text[i]);
  free(s.text);
}

Test(parse, a_failure_leaves_the_result_alone) {
  struct ir_trace *t = NULL;
  cr_assert_eq(ir_parse("trace @t { set", "t", &t), ERR_ARG);
  cr_assert_null(t);
}

Test(parse, deep_nesting_is_no_recursion) {
  struct str b = STR_INIT;
  str_add(&b, "trace @t { set %s n=1 ");
  for (int i = 0; i < 1000000; i++) str_add(&b, "region over %s {");
  cr_assert_not(try_text(b.s));
  str_clear(&b);
}

/* ---- graphs ------------------------------------------------------------ */

/* Graphviz's words about a graph; "" if it has none. */
static void
render(const char *graph, struct str *out) {
  char path[] = "/tmp/op2-dot-XXXXXX";
  int fd = mkstemp(path);
  cr_assert_geq(fd, 0);
  close(fd);
  struct str b = STR_INIT, command = STR_INIT;
  str_add(&b, graph);
  cr_assert_eq(str_write_file(&b, path), 0);
  str_printf(&command, "dot -Tsvg -o /dev/null %s 2>&1 || echo failed", path);
  FILE *f = popen(command.s, "r");
  cr_assert_not_null(f);
  char line[512];
  while (fgets(line, sizeof line, f)) str_add(out, line);
  pclose(f);
  remove(path);
  str_clear(&b);
  str_clear(&command);
}

Test(dot, graphviz_reads_it, .timeout = 60) {
  static const char *const files[] = {OP2_SOURCE_DIR "/test/ir/print_all.irt",
                                      OP2_SOURCE_DIR "/test/ir/print_names.irt",
                                      OP2_SOURCE_DIR "/test/ir/opt_dot.irt",
                                      OP2_SOURCE_DIR
                                      "/test/ir/verify_region_direct.irt"};
  if (system("command -v dot >/dev/null")) cr_skip_test("no dot");
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    struct str text = STR_INIT, graph = STR_INIT, said = STR_INIT;
    cr_assert_eq(str_read_file(&text, files[i]), 0);
    struct ir_trace *t = parse(text.s);
    ir_dot(t, &graph);
    render(graph.s, &said);
    cr_assert_str_eq(said.s, "", "%s: %s", files[i], said.s);
    ir_trace_free(t);
    str_clear(&text);
    str_clear(&graph);
    str_clear(&said);
  }
}
