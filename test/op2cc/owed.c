/* Raw globals, as op2cc sees what becomes of them. Each function does something
 * with a variable that a loop writes; the stand-ins for the library write down
 * what they are told, a letter each:
 *
 *   D  a drop     S  a site whose result may wait     P  op_par_loop
 *   L  a look     N  ... may not; why is kept         O  a store
 */
#include "op2.h"
#include "op2_blob.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static char said[64];
static const char *why;

static void
say(char letter) {
  size_t n = strlen(said);
  if (n + 1 < sizeof said) said[n] = letter;
}

unsigned op2_gbl_owed = 1;
void
op2_gbl_look(const void *at, size_t bytes) {
  (void)at, (void)bytes;
  say('L');
}
void
op2_gbl_store(const void *at, size_t bytes) {
  (void)at, (void)bytes;
  say('O');
}
void
op2_gbl_drop(const void *at, size_t bytes) {
  (void)at, (void)bytes;
  say('D');
}
void
op2_gbl_site(const void *at, const char *reason) {
  (void)at;
  why = reason;
  say(reason ? 'N' : 'S');
}
op_arg
op2_arg_gbl_at(int opt, void *data, int dim, const char *type, size_t size,
               const char *ctype, int acc) {
  (void)opt, (void)data, (void)dim, (void)type, (void)size, (void)ctype;
  return (op_arg){.acc = acc};
}
void
op2_par_loop_at(const char *file, int line, void (*kernel)(void),
                const char *name, op_set set, int nargs, const op_arg *args) {
  (void)file, (void)line, (void)kernel, (void)name, (void)set, (void)args;
  if (nargs) say('P');
}

void other(const double *p);
void
other(const double *p) {
  (void)p;
}

extern double outside;
double outside;
static double own, called, raised, hidden[3];
static _Thread_local double threads;
static int zero; /* nobody knows */
static jmp_buf back;

static void
kernel(double *p) {
  *p += 1;
}
#define LOOP_AS(p, acc)                                                        \
  op_par_loop(kernel, "k", NULL, op_arg_gbl(p, 1, "double", acc))
#define LOOP(p) LOOP_AS(p, OP_INC)
#define V double s;
struct two { /* returned through memory */
  double a, b, c[3];
};
static struct two
make_two(void) {
  struct two t = {0};
  LOOP(&t.b);
  return t;
}

/* A function, what is said when it runs, and why a result does not wait. */
#define ALL(F)                                                                 \
  F(reads, "DOSPLD", "", V s = 0; LOOP(&s); return s;)                         \
  F(never_reads, "DOSPD", "", V s = 0; LOOP(&s); return 0;)                    \
  F(overwrites, "DOSPOSPLD", "", V s = 0; LOOP(&s); s = 0; LOOP(&s);           \
    return s;)                                                                 \
  F(adds_to, "DOSPLOD", "", V s = 0; LOOP(&s); s += 2; return 1;)              \
  F(on_one_path, "DOSPD", "", V s = 0; LOOP(&s); return zero ? s : 1;)         \
  F(part, "DOSPOLD", "", double g[2] = {0}; LOOP(&g[1]); g[0] = 1;             \
    return g[1 + zero];)                                                       \
  F(all_by_memset, "DOSPOD", "", double g[2] = {0}; LOOP(g);                   \
    memset(g, zero, sizeof g); return 1;)                                      \
  F(part_by_memset, "DOSPOD", "", double g[2] = {0}; LOOP(g);                  \
    memset(g, zero, sizeof *g); return 1;)                                     \
  F(copied, "DOSPLD", "", double g[2] = {0}, h[2]; LOOP(g);                    \
    memcpy(h, g, sizeof g); return h[0];)                                      \
  F(in_a_library, "DOSPLD", "", V s = 0; LOOP(&s);                             \
    return fwrite(&s, sizeof s, 0, stdout) > 0;)                               \
  F(                                                                           \
      in_a_loop, "DSPLDDSPLDDSPLD", "", double t = 0;                          \
      for (int i = 0; i < 3; i++) {                                            \
        V LOOP(&s);                                                            \
        t += s;                                                                \
      } return t;)                                                             \
  F(read_only, "P", "", V s = 0; LOOP_AS(&s, OP_READ); return s;)              \
  F(read_too, "DOSPSPLD", "", V s = 0; LOOP(&s); LOOP_AS(&s, OP_READ);         \
    return s;)                                                                 \
  F(kept_arg, "DOSPPLD", "", V s = 0;                                          \
    op_arg a = op_arg_gbl(&s, 1, "double", OP_RW);                             \
    op_par_loop(kernel, "k", NULL, a); op_par_loop(kernel, "k", NULL, a);      \
    return s;)                                                                 \
  F(behind_setjmp, "DOSPLD", "", V s = 0; LOOP(&s);                            \
    if (setjmp(back)) return 0; return s;)                                     \
  F(own_static, "OSPL", "", own = 0; LOOP(&own); return own;)                  \
  F(own_array, "SPL", "", LOOP(&hidden[1]); return hidden[2];)                 \
  F(handed_on, "NP", "its address is handed to other", V s = 0; LOOP(&s);      \
    other(&s); return s;)                                                      \
  F(by_pointer, "NP", "its address is kept", V s = 0; double *p = &s;          \
    LOOP(&s); return *p;)                                                      \
  F(through_pointer, "NP", "it is no variable",                                \
    V double *p = zero ? NULL : &s;                                            \
    *p = 0; LOOP(p); return s;)                                                \
  F(vol, "NP", "it is volatile", volatile double s = 0; LOOP((double *)&s);    \
    return s;)                                                                 \
  F(by_assembly, "NP", "its address is handed to a function", V s = 0;         \
    LOOP(&s); __asm__("" : "+m"(s)); return s;)                                \
  F(in_struct, "DOSPLD", "", struct two t = {0}; LOOP(&t.a); return t.a;)      \
  F(beside_in_struct, "DOSPOLD", "", struct two t = {0}; LOOP(&t.a); t.b = 1;  \
    return t.b;)                                                               \
  F(struct_copied, "DOSPLD", "", struct two t = {0}, u; LOOP(&t.b); u = t;     \
    return u.a;)                                                               \
  F(returned, "DOSPL", "", return make_two().b;)                               \
  F(of_any_size, "NP", "its size varies", double g[zero + 2]; LOOP(g);         \
    return g[0] != g[0];)                                                      \
  F(out_of_sight, "NP", "other files may use it", LOOP(&outside);              \
    return outside;)                                                           \
  F(of_a_thread, "NP", "it is no variable", LOOP(&threads); return threads;)   \
  F(callers_elsewhere, "NP", "touch, which uses it, may be called from",       \
    LOOP(&called);                                                             \
    return called;)                                                            \
  F(in_a_handler, "NP", "handler, which uses it, may be called from",          \
    LOOP(&raised);                                                             \
    return raised;)                                                            \
  F(arg_field, "NP", "its op_arg is kept", V s = 0;                            \
    op_arg a = op_arg_gbl(&s, 1, "double", OP_INC); a.dim = 1;                 \
    op_par_loop(kernel, "k", NULL, a); return s;)                              \
  F(arg_handed_on, "N", "its op_arg is kept", V s = 0;                         \
    op_arg a = op_arg_gbl(&s, 1, "double", OP_INC); other((double *)&a);       \
    return s;)

#define DEFINE(name, letters, reason, ...)                                     \
  static double name(void) {                                                   \
    __VA_ARGS__                                                                \
  }
ALL(DEFINE)

double touch(void);
double
touch(void) {
  return called;
}
static void
handler(int number) {
  (void)number;
  raised++;
}

static int failed;

static void
check(const char *name, const char *letters, const char *reason) {
  const char *found = why ? why : "";
  if (strcmp(said, letters) || strncmp(found, reason, strlen(reason)) ||
      (!*reason && *found)) {
    printf("%s: %s \"%s\", expected %s \"%s\"\n", name, said, found, letters,
           reason);
    failed++;
  }
  memset(said, 0, sizeof said);
  why = NULL;
}

#define RUN(name, letters, reason, ...)                                        \
  (void)name();                                                                \
  check(#name, letters, reason);

int
main(void) {
  signal(SIGUSR1, handler);
  ALL(RUN)
  return failed != 0;
}
