/* A host write ends that two names share memory: what runs next must not be code
 * made for the other case. And a view of a temporary ends with it. */
#include "check.h"

#include <stddef.h>

enum { N = 40 };
enum how { BY_VIEW, BY_UPLOAD, BY_PUT };

static void
copy(const int *a, int *b) {
  *b = *a;
}
static void
add_one(int *a) {
  *a += 1;
}
static void
put(const int *g, int *b) {
  *b = *g;
}

/* The field is reached by hand: op2cc would keep mirrors current if it saw it. */
static int *
mirror(op_dat d) {
  return *(int **)((char *)d + offsetof(struct op_dat_core, data));
}

static op_set s;
static op_dat a, b;

static void
copy_a(void) {
  op_par_loop(copy, "copy", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "int", OP_WRITE));
  op2_flush();
}

static void
put_five(void) {
  int five = 5;
  op_par_loop(put, "put", s, op_arg_gbl(&five, 1, "int", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "int", OP_WRITE));
  op2_flush();
}

static void
host_writes(enum how how) {
  static int values[N];
  if (how == BY_PUT) {
    op_dat copy = op_mpi_get_data(b);
    void *data = (void *)op2_dat_data(copy);
    memcpy(data, values, sizeof values);
    op_mpi_put_data(copy);
    free(data);
    free(copy->set);
    free(copy);
    return;
  }
  if (how == BY_UPLOAD) op2_sync(b);
  int *at = how == BY_VIEW ? op2_dat_data_rw(b) : mirror(b);
  for (int e = 0; e < N; e++) at[e] = -e;
  if (how == BY_UPLOAD) op_upload_dat(b);
}

static void
parts(enum how how) {
  int out[N];
  op_par_loop(add_one, "add_one", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW));
  copy_a(); /* b is a name of a */
  host_writes(how);
  put_five(); /* in place: b is alone */
  copy_a();
  put_five(); /* elsewhere */
  op_fetch_data(a, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], e + 1);
  op_fetch_data(b, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], 5);
}

static void
view_of_temporary(void) {
  int out[N];
  op_dat t = op_decl_dat_temp(s, 1, "int", (int *)NULL, "t");
  int *at = op2_dat_data_rw(t);
  at[0] = 3;
  CHECK_INT(op_free_dat_temp(t), 0);
  t = op_decl_dat_temp(s, 1, "int", (int *)NULL, "t");
  op_fetch_data(t, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], 0);
  CHECK_INT(op_free_dat_temp(t), 0);
}

int
main(int argc, char **argv) {
  int init[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) init[e] = e;
  s = op_decl_set(N, "s");
  for (enum how how = BY_VIEW; how <= BY_PUT; how++) {
    char name[] = {'a', (char)('0' + how), 0};
    a = op_decl_dat(s, 1, "int", init, name);
    name[0] = 'b';
    b = op_decl_dat(s, 1, "int", (int *)NULL, name);
    parts(how);
  }
  view_of_temporary();
  return check_end();
}
