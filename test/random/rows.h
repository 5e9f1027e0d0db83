/* The kernels' descriptors, read from kernels.def, and what each means in cells. */
#ifndef RANDOM_ROWS_H
#define RANDOM_ROWS_H

#include "types.h"

enum param_kind { P_DAT, P_VECTOR, P_GBL, P_INFO, P_INDEX, P_ENTRY };

struct param {
  enum param_kind kind;
  char access;   /* what it does: R W U I, globals also m M K */
  char declared; /* what the program says it does */
  int count;     /* entries of a vector argument; else 1 */
  int ref;       /* of a payload: its parameter */
  char type;
  int dim;
  bool optional, partial, commutes, looked;
  bool packed; /* a vector argument that the kernel gets as one block */
};

struct row;
/* One element: p[a] where parameter a points, NULL if it is off; v[a] the
 * entries of a vector argument. */
typedef void ref_fn(const struct row *row, union cell *const *p,
                    union cell *const *const *v);

struct row {
  const char *family, *name, *spec;
  const char *c; /* the function's name in C */
  struct param *params;
  int nparams;
  ref_fn *ref;
  bool effect; /* writes k_trail */
};

/* All rows; made at the first call. */
const struct row *rows_all(size_t *n_out);
bool param_writes(const struct param *p);

/* Meaning of a family (ref.c). */
ref_fn *ref_find(const char *family);

/* The interpreter's own constants and trail, as kernels.h has them. */
struct ref_globals {
  int64_t k_int, k_vec[3], k_table[16], k_gain, k_own;
  double k_real;
  uint32_t k_trail;
};
extern struct ref_globals ref_globals;

#endif
