/* OP2_CHECK=nan: a loop with its values before and after it, one element of it,
 * and what was found. nan.c tells the whole. */
#ifndef FRONTEND_NAN_H
#define FRONTEND_NAN_H

#include "frontend/calls.h"

/* A dat that the loop uses, as its mirror is: rows [0, n), of which the first
 * `own` are this rank's. */
struct nan_dat {
  idx_l n, own;
  char *before; /* the loop */
  char *now;    /* while its elements run again; else, and where it does not
                   write the dat, `before` */
  bool moved;   /* the rows have other places since: not looked at */
};

/* A global argument; `bytes` 0: it is none. */
struct nan_gbl {
  size_t bytes;
  const char *after;
  char *before, *now;
};

struct nan_loop {
  const struct fe_call *c;
  struct nan_dat *dats; /* [c->nuses] */
  struct nan_gbl *gbls; /* [c->nargs] */
  idx_l own;            /* elements of this rank */
  bool tainted; /* some element, of any rank, has inputs that are not finite */
};

/* What made a value that is not finite, the surest first. */
enum nan_how {
  NAN_NOTHING,
  NAN_ELEMENT, /* this element did, when it ran again */
  NAN_LEFT,    /* this element's values say so, after the loop */
  NAN_REACHED, /* it is the first of those that reach the place */
  NAN_LOOP     /* no element is known */
};
struct nan_found {
  enum nan_how how;
  idx_l e;
  uint32_t arg, k, component; /* k: of a vector argument */
  double value;
  struct str *inputs; /* of the element, as text */
};

/* ---- nan_values.c -------------------------------------------------------- */

enum nan_when { NAN_BEFORE, NAN_NOW, NAN_AFTER };
/* Elements of memory behind argument a, for element e of the loop; the row of
 * its dat that the k-th is; where that is. */
uint32_t fe_nan_count(const struct nan_loop *n, uint32_t a, idx_l e);
idx_l fe_nan_row(const struct nan_loop *n, uint32_t a, uint32_t k, idx_l e);
char *fe_nan_at(const struct nan_loop *n, enum nan_when when, uint32_t a,
                uint32_t k, idx_l e);
/* Does the kernel get an index, or the length of a row? Which? */
bool fe_nan_is_number(const struct fe_arg *fa);
bool fe_nan_number(const struct nan_loop *n, uint32_t a, idx_l e, idx_g *out);
/* That of the dat of argument a. */
struct nan_dat *fe_nan_dat(const struct nan_loop *n, uint32_t a);
/* Does the loop's argument count: as one that it stores to, whose values are
 * its results; as one whose values they are made of? */
bool fe_nan_result(const struct fe_arg *fa);
bool fe_nan_input(const struct fe_arg *fa);
/* Are all inputs of element e finite? */
bool fe_nan_inputs_finite(const struct nan_loop *n, enum nan_when when,
                          idx_l e);
/* Did `is` come to hold a value that is not finite in place of `was`, both of
 * argument a? Then which component, and what. */
bool fe_nan_made(const struct nan_loop *n, uint32_t a, const char *was,
                 const char *is, uint32_t *component_out, double *value_out);

/* ---- nan_find.c ---------------------------------------------------------- */

/* The first element, in the program's order, that makes such a value. Of this
 * rank's. */
void fe_nan_find(struct nan_loop *n, struct nan_found *out);

/* ---- nan_say.c ----------------------------------------------------------- */

/* The inputs of element e, as they are `when`. */
void fe_nan_inputs_text(const struct nan_loop *n, enum nan_when when, idx_l e,
                        struct str *out);
/* What was found, as a message. */
void fe_nan_text(const struct nan_loop *n, const struct nan_found *f,
                 struct str *out);

/* ---- nan_run.c ----------------------------------------------------------- */

/* A kernel, by its address. */
void fe_nan_call(void (*kernel)(void), uint32_t nargs, void **args);

#endif
