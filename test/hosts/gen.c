/* A random host program: functions whose variables loops write, read, combine
 * into, in all ways that C has to get at a variable.
 *
 *   gen SEED FUNCTIONS    the program, on stdout
 *
 * It prints numbers for each function. Built by op2cc, with results that wait,
 * and by another compiler, whose loops run at their call, it is to print the
 * same (run.sh). Programs are valid C11 and C++, without undefined behaviour:
 * variables are set where they are declared, numbers are unsigned; what a
 * longjmp might leave indeterminate is not changed between setjmp and there. */
#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { VARS = 256, FUEL = 26, DEEP = 4, TEXT = 400, TEXTS = 128 };

/* A variable in scope. */
struct var {
  char name[24];
  unsigned n;   /* of an array; 0: a number */
  bool stays;   /* behind a longjmp: it is static */
  bool escapes; /* its address may go elsewhere */
  bool cast;    /* its address needs one: volatile */
};
static struct var vars[VARS];
static unsigned nvars, fixed; /* fixed: those before are not to be changed */
static unsigned names, depth, loops, fuel, function;
static const char *leave; /* where a longjmp may go; NULL: nowhere */

/* ---- numbers and text ---------------------------------------------------- */

static uint64_t state;

static unsigned
rnd(unsigned n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % n;
}

__attribute__((format(printf, 1, 2))) static void
line(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  printf("%*s", (int)(2 * depth), "");
  vprintf(fmt, ap);
  printf("\n");
  va_end(ap);
}

/* Texts live until many more were made. */
__attribute__((format(printf, 1, 2))) static const char *
text(const char *fmt, ...) {
  static char all[TEXTS][TEXT];
  static unsigned next;
  char *t = all[next++ % TEXTS];
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(t, TEXT, fmt, ap);
  va_end(ap);
  if (n >= TEXT) abort();
  return t;
}

/* ---- variables ----------------------------------------------------------- */

static struct var *
var_add(const char *prefix, unsigned n, bool stays, bool escapes, bool cast) {
  assert(nvars < VARS);
  struct var *v = &vars[nvars++];
  *v = (struct var){.n = n, .stays = stays, .escapes = escapes, .cast = cast};
  snprintf(v->name, sizeof v->name, "%s%u", prefix, names++);
  return v;
}

static struct var *
var_any(void) {
  return &vars[rnd(nvars)];
}

/* One that may be changed; escapes: and be kept. */
static struct var *
var_open(bool escapes) {
  for (;;) {
    struct var *v = var_any();
    bool may = v->stays || v >= vars + fixed;
    if (may && (!escapes || v->escapes)) return v;
  }
}

static const char *expression(unsigned deep);

static const char *
place(const struct var *v) {
  return v->n ? text("%s[%u]", v->name, rnd(v->n)) : v->name;
}

static const char *
element(const struct var *v) {
  if (!v->n || rnd(2)) return place(v);
  return text("%s[%s %% %u]", v->name, expression(DEEP), v->n);
}

static const char *
address(const struct var *v) {
  const char *cast = v->cast ? "(uint *)" : "";
  return text("%s&%s", cast, place(v));
}

static const char *
expression(unsigned deep) {
  switch (deep < DEEP ? rnd(9) : rnd(2)) {
  case 0: return text("%uu", rnd(20));
  case 1: return place(var_any());
  case 2: {
    const char *l = expression(deep + 2);
    return text("(%s + %s)", l, expression(deep + 2));
  }
  case 3: {
    const char *l = expression(deep + 2);
    return text("(%s ^ %s)", l, expression(deep + 2));
  }
  case 4: return text("%s * 3u", expression(deep + 3));
  case 5: return text("same(%s)", expression(deep + 2));
  case 6: return text("(%s >> 1)", expression(deep + 3));
  default: return element(var_any());
  }
}
#define E expression(0)

/* ---- statements ---------------------------------------------------------- */

static void block(unsigned most);

static void declare_struct(bool stays);

static void
declare(void) {
  if (!rnd(5)) {
    declare_struct(false);
    return;
  }
  bool escapes = !rnd(4), cast = escapes && !rnd(3);
  unsigned n = rnd(3) ? 0 : 2 + rnd(3);
  const char *value = E, *other = E;
  struct var *v = var_add("v", n, false, escapes, cast);
  const char *type = cast ? "volatile uint" : "uint";
  if (n)
    line("%s %s[%u] = {%s, %s%s};", type, v->name, n, value, other,
         (const char *[]){"", ", 3", ", 4, 5"}[rnd(8) ? n - 2 : 0]);
  else if (rnd(3))
    line("%s %s = %s;", type, v->name, value);
  else
    line("%s %s; %s = %s;", type, v->name, v->name, value);
}

/* Members are variables like others; structs are copied, too, and returned. */
static void
declare_struct(bool stays) {
  unsigned k = names++;
  const char *a = E, *b = E;
  if (stays) {
    line("static struct six t%u;", k);
  } else if (rnd(2)) {
    line("struct six t%u = {%s, %s, {4, 5}, 6};", k, a, b);
  } else {
    line("struct six t%u = six(%s), u%u = {%s, 1, {2, 3}, 4};", k, a, k, b);
    line("if (t%u.a & 1u) %s;", k,
         rnd(2) ? text("t%u = u%u", k, k)
                : text("ADD(&u%u.d); t%u = u%u", k, k, k));
  }
  for (const char *m = "abcd"; *m; m++) {
    struct var *v = var_add("t", *m == 'c' ? 2 : 0, stays, false, false);
    snprintf(v->name, sizeof v->name, "t%u.%c", k, *m);
  }
}

static void
declare_static(void) {
  if (!rnd(4)) {
    declare_struct(true);
    return;
  }
  struct var *v = var_add("s", rnd(3) ? 0 : 2 + rnd(2), true, !rnd(4), false);
  if (v->n)
    line("static uint %s[%u];", v->name, v->n);
  else
    line("static uint %s;", v->name);
}

static void
parallel(void) {
  static const char *const kinds[] = {"ADD", "ADD", "ADD",  "MOST",
                                      "PUT", "MIX", "LEAST"};
  const struct var *v = var_open(false), *u = var_open(false);
  switch (rnd(8)) {
  case 0: line("GROW();"); break;
  case 1: line("TAKE(%s);", address(var_any())); break;
  case 2: line("MAYBE(%s, %s);", E, address(v)); break;
  case 3:
    if (u != v) line("ADD_TWO(%s, %s);", address(v), address(u));
    break;
  default:
    line("%s(%s);", kinds[rnd(sizeof kinds / sizeof *kinds)], address(v));
  }
}

static void
assign(void) {
  static const char *const ops[] = {"=", "=", "=", "+=", "^=", "-="};
  const char *to = element(var_open(false));
  line("%s %s %s;", to, ops[rnd(sizeof ops / sizeof *ops)], E);
}

/* As the library and the compiler do it by themselves. */
static void
memory(void) {
  const struct var *v = var_open(false), *u = var_any();
  if (v->cast || u->cast) return;
  const char *size =
      v->n && rnd(2) ? text("sizeof %s", v->name) : "sizeof(uint)";
  unsigned n = v->n ? v->n : 1, m = u->n ? u->n : 1;
  const char *to = v->n ? v->name : text("&%s", v->name);
  const char *from = u->n ? u->name : text("&%s", u->name);
  switch (rnd(4)) {
  case 0: line("memset(%s, (int)(%s & 3u), %s);", to, E, size); break;
  case 1:
    if (u != v)
      line("memcpy(%s, %s, %u * sizeof(uint));", to, from,
           1 + rnd(n < m ? n : m));
    break;
  case 2:
    if (rnd(2)) line("ADD(%s);", to);
    line("note(memcmp(%s, %s, sizeof(uint)) < 0);", to, from);
    break;
  case 3: line("note((uint)fwrite(%s, sizeof(uint), 0, stdout));", from); break;
  }
}

/* Its address goes elsewhere. */
static void
escape(void) {
  const struct var *v = var_open(true);
  unsigned k = names++;
  switch (rnd(8)) {
  case 0:
    line("{ uint *p%u = %s; *p%u += 2; %s(p%u); note(*p%u); }", k, address(v),
         k, rnd(2) ? "ADD" : "MIX", k, k);
    break;
  case 1:
    line(rnd(2) ? "kept = %s;" : "keep(%s);", address(v));
    line("ADD(%s);", address(v));
    line("poke(); kept = NULL;");
    break;
  case 2: line("add_by(%s);", address(v)); break;
  case 3:
    if (v->n && !v->cast)
      line("qsort(%s, %u, sizeof(uint), order);", v->name, v->n);
    break;
  case 4:
    line("note((uint)sscanf(\"%u\", \"%%u\", %s));", rnd(50), address(v));
    break;
  case 5:
    line("{ uint *p%u = %s ? %s : %s; *p%u += 1; ADD(p%u); }", k, E, address(v),
         address(var_open(true)), k, k);
    break;
  case 6:
    line("note(__atomic_fetch_add(%s, 2u, __ATOMIC_SEQ_CST));", address(v));
    break;
  case 7:
    line("{ struct { uint a, b; } p%u = {%s, %s}; ADD(&p%u.b); "
         "note(p%u.a + p%u.b); }",
         k, E, E, k, k, k);
    break;
  }
}

/* The argument in a variable of its own. */
static void
argument(void) {
  const struct var *v = var_open(false);
  unsigned k = names++;
  line("op_arg a%u = G(%s, 1, OP_INC);", k, address(v));
  if (rnd(2)) assign();
  line("op_par_loop(add, \"add\", cells, X(OP_READ), a%u);", k);
  if (!rnd(4)) line("note(*(uint *)a%u.data);", k);
  if (rnd(2)) line("note(%s);", E);
  if (rnd(2)) line("op_par_loop(add, \"add\", cells, X(OP_READ), a%u);", k);
}

static void
jump(void) {
  if (leave && !rnd(3))
    line("if (%s & 1u) leap(&%s, %s);", E, leave, E);
  else if (leave && !rnd(2))
    line("if (%s & 1u) longjmp(%s, 1);", E, leave);
  else if (loops)
    line("if (%s & 1u) %s;", E, rnd(2) ? "break" : "continue");
  else if (depth > 1 && !rnd(3))
    line("if (%s & 1u) return %s;", E, E);
}

static void
branch(void) {
  line("if (%s & 1u) {", E);
  block(4);
  if (rnd(2)) {
    line("} else {");
    block(3);
  }
  line("}");
}

static void
repeat(void) {
  unsigned k = names++, was = loops++;
  switch (rnd(3)) {
  case 0:
    line("for (uint i%u = 0; i%u < %u; i%u++) {", k, k, 1 + rnd(3), k);
    block(5);
    line("}");
    break;
  case 1:
    line("uint i%u = 0;", k);
    line("do {");
    block(4);
    line("} while (i%u++ < %u);", k, rnd(2));
    break;
  case 2: /* variables have no scopes where a label stands among them */
    loops = was;
    line("uint i%u = 0;", k);
    line("again%u: {", k);
    block(4);
    line("  if (i%u++ < %u) goto again%u;", k, 1 + rnd(2), k);
    line("}");
    break;
  }
  loops = was;
}

/* A variable with which nothing else is done. */
static void
fresh(void) {
  unsigned k = names++;
  line("{ uint h%u[3] = {%s, %s, 7};", k, E, E);
  line("  uint *q%u = NULL, i%u = %s %% 3u;", k, k, E);
  if (rnd(2)) line("  h%u[2] = %s;", k, E);
  line("  %s(&h%u[i%u]);", rnd(3) ? "ADD" : "MIX", k, k);
  switch (rnd(4)) {
  case 0: line("  keep(h%u); ADD(h%u); poke(); kept = NULL;", k, k); break;
  case 1: line("  q%u = h%u; *q%u += %s;", k, k, k, E); break;
  case 2: line("  memset(h%u, 1, %u * sizeof *h%u);", k, 1 + rnd(2), k); break;
  case 3: line("  h%u[%s %% 3u] = %s;", k, E, E); break;
  }
  line("  note(h%u[0]); note(h%u[2]); if (q%u) note(*q%u);", k, k, k, k);
  line("}");
}

/* Of two that wait, now one is read and now the other. */
static void
either(void) {
  unsigned k = names++;
  line("for (uint i%u = 0; i%u < 3; i%u++) {", k, k, k);
  if (rnd(2)) line("  op2_flush();");
  line("  uint a%u = %s, b%u = %s;", k, E, k, E);
  line("  ADD(&a%u); ADD(&b%u); note(i%u & 1 ? a%u : b%u);", k, k, k, k, k);
  line("}");
}

/* One rank alone reads what loops have made, or writes over it. */
static void
alone(void) {
  unsigned k = names++;
  switch (rnd(4)) {
  case 0:
    line("{ uint w%u = %s; ADD(&w%u); if (mine(%u)) w%u = 7; else "
         "note_own(w%u); }",
         k, E, k, rnd(3), k, k);
    break;
  case 1:
    line("{ uint w%u = %s; MOST(&w%u); if (mine(%u)) w%u = 7; ADD(&w%u); "
         "note_own(w%u); }",
         k, E, k, rnd(3), k, k, k);
    break;
  default: line("if (mine(%u)) note_own(%s);", rnd(3), E);
  }
}

static void
choose(void) {
  unsigned was = loops;
  loops = 0; /* no `continue` out of a switch: it would be a loop's */
  line("switch (%s %% 3u) {", E);
  for (unsigned i = 0; i < 2; i++) {
    line("case %u: {", i);
    block(3);
    line("}%s", rnd(2) ? " break;" : " /* fall through */");
  }
  line("default: note(%s);", E);
  line("}");
  loops = was;
}

static void
region(void) {
  unsigned k = names++, was = fixed, in = loops;
  const char *out = leave;
  char name[24];
  if (leave) return;
  snprintf(name, sizeof name, "back%u", k);
  leave = name;
  fixed = nvars;
  loops = 0;
  line("jmp_buf %s;", name);
  line("if (!setjmp(%s)) {", name);
  block(5);
  line("} else {");
  leave = NULL;
  fixed = was;
  block(3);
  line("}");
  loops = in;
  leave = out;
}

static void
call(void) {
  if (!function) return;
  unsigned f = rnd(function);
  if (rnd(2))
    line("note(f%u(%s));", f, E);
  else
    line("%s = f%u(%s);", place(var_open(false)), f, E);
}

static void
look(void) {
  static const char *const others[] = {"fetch();",
                                       "op2_flush();",
                                       "note(stack(seen));",
                                       "ADD(&threads_own); run_thread();",
                                       "raise(SIGUSR1);",
                                       "ADD(&threads_own);",
                                       "ADD(&handlers_own);",
                                       "note(handlers_own);"};
  if (rnd(4))
    line("note(%s);", E);
  else
    line("%s", others[rnd(sizeof others / sizeof *others)]);
}

static void
statement(void) {
  static void (*const kinds[])(void) = {
      parallel, parallel, parallel, parallel, parallel, assign, assign,
      assign,   look,     look,     look,     memory,   escape, argument,
      declare,  declare,  branch,   repeat,   jump,     call,   region,
      choose,   either,   fresh,    alone};
  kinds[rnd(sizeof kinds / sizeof *kinds)]();
}

/* As many as there is fuel for; what it declares ends with it. */
static void
block(unsigned most) {
  unsigned was = nvars, n = 1 + rnd(most);
  depth++;
  if (!rnd(3)) declare();
  for (; n && fuel; n--) {
    fuel--;
    (depth < 6 ? statement : parallel)();
  }
  depth--;
  nvars = was;
}

static void
function_make(void) {
  unsigned was;
  fuel = FUEL;
  depth = 0;
  if (!rnd(2)) declare_static();
  was = nvars;
  line("%sstatic uint", rnd(2) ? "__attribute__((noinline)) " : "");
  line("f%u(uint n) {", function);
  depth = 1;
  line("if (!fuel) return 1;");
  line("fuel--;");
  struct var *v = var_add("v", 0, false, !rnd(4), false);
  line("uint %s = n;", v->name);
  declare();
  declare();
  while (fuel) {
    fuel--;
    statement();
  }
  if (!rnd(3)) line("note(n ? f%u(n / 2) : 0);", function);
  line("return %s;", E);
  depth = 0;
  line("}");
  nvars = was;
}

int
main(int argc, char **argv) {
  if (argc != 3) return 2;
  unsigned n = (unsigned)atoi(argv[2]);
  state = strtoull(argv[1], NULL, 10) * 0x9E3779B97F4A7C15u + 1;
  for (int i = 0; i < 8; i++) rnd(1);
  line("#include \"hosts.h\"");
  struct var *outside = var_add("outside", 0, true, true, false);
  line("extern uint %s;", outside->name);
  line("uint %s;", outside->name);
  declare_static();
  declare_static();
  for (function = 0; function < n; function++) function_make();
  line("int");
  line("main(int argc, char **argv) {");
  depth = 1;
  line("start(argc, argv);");
  line("fuel = 40;");
  for (unsigned i = 0; i < n; i++)
    line("tell(\"f%u\", f%u(%u));", i, i, rnd(9));
  if (rnd(2)) line("ADD(&%s%s);", vars[1].name, vars[1].n ? "[1]" : "");
  line("op_exit();");
  for (unsigned i = 0; i < nvars; i++)
    line("printf(\"%%u\\n\", %s%s);", vars[i].name, vars[i].n ? "[1]" : "");
  line("return 0;");
  depth = 0;
  line("}");
  return 0;
}
