/* Descriptors: the words of kernels.def, parsed once. */
#include "rows.h"

#include "names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_i
#define GROUP_d
#define GROUP_f
#define GROUP_u
#define GROUP_l
#define GROUP_L
#define GROUP_s
#define GROUP_c
#define GROUP_C
#define GROUP_b
#define GROUP_r
#define GROUP_q
#define GROUP_x
#define GROUP_y
#define GROUP_z
#define GROUP_j
#define GROUP_h

#define TEXT(name) #name
#define EXPANDED(name) TEXT(name)
static const struct {
  const char *family, *name, *spec, *c;
} texts[] = {
#define KERNEL(family, name, spec, params, ...)                                \
  {#family, #name, spec, EXPANDED(name)},
#include "kernels.def"
};
enum { NROWS = sizeof texts / sizeof *texts };

static int
number(const char **s) {
  char *end;
  long n = strtol(*s, &end, 10);
  assert(end != *s);
  *s = end;
  return (int)n;
}

static void
param_kind_read(struct param *p, const char **s) {
  char k = *(*s)++;
  if (k == 'X') {
    p->kind = **s == 'E' ? P_ENTRY : P_INDEX;
    *s += **s == 'E';
    p->access = 'R';
    p->type = **s == 'L' ? 'l' : 'i';
    *s += **s == 'L';
    p->dim = 1;
    return;
  }
  p->packed = k == 'B';
  p->kind = k == 'D'                ? P_DAT
            : k == 'V' || p->packed ? P_VECTOR
            : k == 'G'              ? P_GBL
                                    : P_INFO;
  if (p->kind == P_VECTOR) p->count = number(s);
  if (k == 'N') p->ref = number(s);
  p->access = k == 'N' ? 'U' : *(*s)++;
  p->type = *(*s)++;
  p->dim = number(s);
}

static struct param
param_read(const char **s) {
  struct param p = {.count = 1, .ref = -1};
  param_kind_read(&p, s);
  p.declared = p.access;
  for (; **s && **s != ' '; (*s)++) {
    assert(strchr("opcxd", **s));
    if (**s == 'd') {
      p.declared = *++*s;
      continue;
    }
    p.optional |= **s == 'o';
    p.partial |= **s == 'p';
    p.commutes |= **s == 'c';
    p.looked |= **s == 'x';
  }
  while (**s == ' ') (*s)++;
  return p;
}

static struct row
row_read(size_t k) {
  struct row r = {.family = texts[k].family,
                  .name = texts[k].name,
                  .spec = texts[k].spec,
                  .c = texts[k].c};
  for (const char *s = r.spec; *s;) ADD(r.params, r.nparams, param_read(&s));
  r.ref = ref_find(r.family);
  r.effect = !strcmp(r.family, "effect");
  return r;
}

const struct row *
rows_all(size_t *n_out) {
  static struct row rows[NROWS];
  if (!rows[0].name)
    for (size_t k = 0; k < NROWS; k++) rows[k] = row_read(k);
  *n_out = NROWS;
  return rows;
}

bool
param_writes(const struct param *p) {
  return p->access != 'R';
}
