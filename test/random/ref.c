/* What each family of kernels means, written on cells: the second, independent
 * definition of kernels.def. Compiled by the plain compiler with -O2
 * -ffp-contract=off; whole numbers are computed in int64_t and wrapped as the type
 * stores them, real ones in their type.
 *
 * Bound types (int, ll, double, float) are not wrapped: the interpreter refuses a
 * loop whose values leave their limit.
 */
#include "rows.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct ref_globals ref_globals;

#define REF(name)                                                              \
  static void ref_##name(const struct row *row, union cell *const *p,          \
                         union cell *const *const *v)
#define TYPE(a) (row->params[a].type)
#define LANE(a, c) type_lane(TYPE(a), c)
#define DIM(a) (row->params[a].dim)
#define EACH(c, a) for (int c = 0; c < DIM(a); c++)
#define UNUSED (void)row, (void)p, (void)v

/* Real or whole, by the type. */
static union cell
plus(char type, union cell a, union cell b) {
  if (type == 'r') return (union cell){.r = a.r + b.r};
  if (type == 'q') return (union cell){.r = (float)a.r + (float)b.r};
  return (union cell){
      .i = type_wrap(type, (int64_t)((uint64_t)a.i + (uint64_t)b.i))};
}

static union cell
less(char type, union cell a, union cell b) {
  if (type == 'r') return (union cell){.r = a.r - b.r};
  if (type == 'q') return (union cell){.r = (float)a.r - (float)b.r};
  return (union cell){
      .i = type_wrap(type, (int64_t)((uint64_t)a.i - (uint64_t)b.i))};
}

static union cell
times(char type, union cell a, union cell b) {
  if (type == 'r') return (union cell){.r = a.r * b.r};
  if (type == 'q') return (union cell){.r = (float)a.r * (float)b.r};
  return (union cell){
      .i = type_wrap(type, (int64_t)((uint64_t)a.i * (uint64_t)b.i))};
}

static union cell
over(char type, union cell a, union cell b) {
  if (type == 'r') return (union cell){.r = a.r / b.r};
  return (union cell){.r = (float)a.r / (float)b.r};
}

static union cell
whole(char type, int64_t i) {
  if (type_row(type)->real) return (union cell){.r = (double)i};
  return (union cell){.i = type_wrap(type, i)};
}

/* A real literal as the type rounds it. */
static union cell
real(char type, double x) {
  return (union cell){.r = type == 'q' ? (float)x : x};
}

/* ---- any type ------------------------------------------------------------ */

REF(copy) {
  UNUSED;
  EACH(c, 0) p[1][c] = p[0][c];
}

REF(part) {
  UNUSED;
  if (type_less(TYPE(0), whole(TYPE(0), 0), p[0][0]))
    p[1][DIM(0) - 1] = p[0][0];
}

REF(thirds) {
  UNUSED;
  if (p[0][0].i % 3 != 1) EACH(c, 1) p[2][c] = p[1][c];
}

REF(swap) {
  UNUSED;
  int n = DIM(0);
  EACH(c, 0) {
    union cell x = p[0][c];
    p[0][c] = p[1][n - 1 - c];
    p[1][n - 1 - c] = x;
  }
}

REF(top) {
  UNUSED;
  EACH(c, 0) if (type_less(LANE(0, c), p[1][c], p[0][c])) p[1][c] = p[0][c];
}

REF(bottom) {
  UNUSED;
  EACH(c, 0) if (type_less(LANE(0, c), p[0][c], p[1][c])) p[1][c] = p[0][c];
}

REF(ext) {
  UNUSED;
  EACH(c, 0) {
    if (type_less(TYPE(0), p[0][c], p[1][c])) p[1][c] = p[0][c];
    if (type_less(TYPE(0), p[2][c], p[0][c])) p[2][c] = p[0][c];
  }
}

REF(argmin) {
  UNUSED;
  EACH(c, 0) if (type_less(TYPE(0), p[0][c], p[2][c])) {
    p[2][c] = p[0][c];
    p[3][c] = p[1][0];
  }
}

REF(argmax) {
  UNUSED;
  if (!type_less(TYPE(0), p[2][0], p[0][0])) return;
  p[2][0] = p[0][0];
  EACH(c, 3) p[3][c] = p[1][c];
}

REF(work) {
  UNUSED;
  int n = DIM(0);
  EACH(c, 0) p[1][c] = p[0][c];
  EACH(c, 0) p[2][c] = p[1][n - 1 - c];
}

REF(choose) {
  UNUSED;
  const union cell *from = p[0];
  if (!from) from = p[1];
  if (!from) from = p[2];
  if (from) EACH(c, 3) p[3][c] = from[c];
}

REF(trade) {
  UNUSED;
  EACH(c, 0) {
    union cell x = p[0][c];
    p[0][c] = p[1][c];
    p[1][c] = x;
  }
}

REF(field) {
  UNUSED;
  p[1][DIM(1) - 1] = p[0][DIM(0) - 1];
}

REF(pass) {
  UNUSED;
  EACH(c, 0) p[1][c] = p[2][c] = p[0][c];
}

REF(pick) {
  UNUSED;
  EACH(c, 0) p[2][c] = v[0][p[1][0].i % 2][c];
}

/* ---- sums ---------------------------------------------------------------- */

REF(add) {
  UNUSED;
  EACH(c, 0) p[1][c] = plus(LANE(0, c), p[1][c], p[0][c]);
}

REF(edge) {
  UNUSED;
  EACH(c, 0) {
    char t = LANE(0, c);
    union cell f = less(t, p[0][c], p[1][c]);
    p[2][c] = plus(t, p[2][c], f);
    p[3][c] = less(t, p[3][c], f);
  }
}

REF(scatter) {
  UNUSED;
  for (int k = 0; k < row->params[1].count; k++)
    EACH(c, 0) v[1][k][c] = plus(LANE(0, c), v[1][k][c], p[0][c]);
}

REF(grade) {
  UNUSED;
  for (int k = 0; k < row->params[1].count; k++) EACH(c, 0) {
      char t = LANE(0, c);
      union cell x = plus(t, p[0][c], whole(t, k));
      v[1][k][c] = plus(t, v[1][k][c], x);
    }
}

/* ---- whole numbers ------------------------------------------------------- */

REF(minus) {
  UNUSED;
  EACH(c, 0) p[2][c] = less(TYPE(0), p[0][c], p[1][DIM(0) - 1 - c]);
}

REF(less) {
  UNUSED;
  EACH(c, 0) p[2][c] = less(LANE(0, c), p[0][c], p[1][c]);
}

REF(fold) {
  UNUSED;
  EACH(c, 0) p[1][c] = whole(TYPE(0), p[0][c].i % 64);
}

REF(scale) {
  UNUSED;
  EACH(c, 0) {
    char t = LANE(0, c);
    p[0][c] = less(t, times(t, p[0][c], whole(t, 3)), whole(t, 1));
  }
}

REF(gather) {
  UNUSED;
  EACH(c, 0) p[1][c] = less(LANE(0, c), v[0][0][c], v[0][1][c]);
}

REF(gather3) {
  UNUSED;
  char t = TYPE(0);
  EACH(c, 0)
  for (int k = 0; k < 3; k++)
    p[2][c] = plus(t, p[2][c], less(t, v[0][k][c], p[1][c]));
}

REF(gather6) {
  UNUSED;
  EACH(c, 0) {
    p[1][c] = v[0][0][c];
    for (int k = 1; k < 6; k++)
      if (type_less(TYPE(0), v[0][k][c], p[1][c])) p[1][c] = v[0][k][c];
  }
}

REF(inturn) {
  UNUSED;
  EACH(c, 0) {
    char t = LANE(0, c);
    v[0][0][c] = plus(t, v[0][0][c], whole(t, 1));
    v[0][1][c] = less(t, v[0][1][c], v[0][0][c]);
  }
}

REF(both) {
  UNUSED;
  for (int k = 0; k < row->params[1].count; k++)
    EACH(c, 0) v[1][k][c] = plus(LANE(0, c), p[0][c], whole(LANE(0, c), k));
}

/* In C small types compute in int, all others in their own type. */
REF(series) {
  UNUSED;
  char t = TYPE(0);
  EACH(c, 0) {
    uint64_t x = (uint64_t)p[1][c].i * 3 + (uint64_t)p[0][c].i;
    int64_t y = t == 'u' ? (int64_t)(x & UINT32_MAX) : (int64_t)x;
    p[1][c] = whole(t, y % 97);
  }
}

REF(shift) {
  UNUSED;
  EACH(c, 0) p[1][c] = less(LANE(0, c), p[1][c], p[0][c]);
}

REF(maybe) {
  UNUSED;
  EACH(c, 0) {
    char t = LANE(0, c);
    if (p[1]) p[0][c] = plus(t, p[0][c], p[1][c]);
    if (p[3]) p[0][c] = less(t, p[0][c], p[3][c]);
    if (p[2]) p[2][c] = plus(t, p[2][c], p[0][c]);
    if (p[4]) p[4][c] = plus(t, p[4][c], p[0][c]);
    if (!p[1] && !p[3]) p[0][c] = plus(t, p[0][c], whole(t, 1));
  }
}

REF(looked) {
  UNUSED;
  EACH(c, 0) {
    char t = LANE(0, c);
    p[1][c] = plus(t, p[1][c], p[0][c]);
    p[2][c] = plus(t, p[2][c], whole(t, p[1][c].i % 8));
  }
}

REF(ident) {
  UNUSED;
  EACH(c, 1) p[1][c] = whole(LANE(1, c), p[0][0].i % 97 + c);
}

REF(konst) {
  UNUSED;
  char t = TYPE(0);
  EACH(c, 0) {
    int64_t k = ref_globals.k_int - ref_globals.k_vec[c % 3];
    p[1][c] = plus(t, p[0][c], whole(t, k));
  }
}

REF(upto) {
  UNUSED;
  int64_t n = ref_globals.k_int % (DIM(1) + 1);
  EACH(c, 1)
  if (c < n)
    p[1][c] = plus(TYPE(0), p[0][c], whole(TYPE(0), ref_globals.k_int - n));
}

REF(table) {
  UNUSED;
  char t = TYPE(1);
  EACH(c, 1)
  p[1][c] =
      plus(t, p[1][c], whole(t, ref_globals.k_table[(p[0][0].i + c) % 16]));
}

REF(count) {
  UNUSED;
  EACH(c, 0) p[0][c] = plus(TYPE(0), p[0][c], whole(TYPE(0), 1));
}

REF(branch) {
  UNUSED;
  char t = TYPE(0);
  static const int triangle[] = {0, 0, 1, 3, 6};
  int64_t n = p[0][0].i % 5;
  union cell s = whole(t, n > 0 ? triangle[n] : 0), last = p[0][DIM(0) - 1];
  s = n == 3 ? less(t, s, last) : n == 2 ? s : p[0][0];
  EACH(c, 0) p[1][c] = n == 2 ? s : less(t, s, p[0][c]);
}

static int64_t
clipped(int64_t v) {
  if (v > 50) return 50;
  return v < -50 ? -50 : v;
}

REF(clip) {
  UNUSED;
  EACH(c, 0)
  p[1][c] = whole(TYPE(0), clipped(p[0][c].i) + clipped(p[1][c].i));
}

REF(effect) {
  UNUSED;
  ref_globals.k_trail = ref_globals.k_trail * 31 + (uint32_t)p[0][0].i;
}

REF(wide) {
  UNUSED;
  char t = TYPE(0);
  EACH(c, 0) {
    p[3][c] = less(t, p[0][c], p[1][c]);
    p[4][c] = less(t, p[2][c], p[7][c]);
    p[5][c] = plus(t, p[5][c], p[0][c]);
    p[6][c] = less(t, p[6][c], p[2][c]);
    p[8][c] = plus(t, p[8][c], p[1][c]);
  }
}

REF(convert) {
  UNUSED;
  bool sums = row->params[1].access == 'I';
  union cell x = whole(TYPE(1), p[0][0].i);
  p[1][0] = sums ? plus(TYPE(1), p[1][0], x) : x;
}

static int64_t
within(int64_t v, int64_t most) {
  if (v > most) return most;
  return v < -most ? -most : v;
}

REF(far) {
  UNUSED;
  EACH(c, 0) {
    int64_t deep = within(p[1][c].i, 20) - 2;
    int64_t all = within(p[0][c].i, 30) + deep + ref_globals.k_gain;
    p[1][c] = whole(TYPE(0), all);
  }
}

REF(turn) {
  UNUSED;
  int n = DIM(0);
  union cell x[8];
  EACH(c, 0) x[c] = p[0][n - 1 - c];
  x[0].i = within(x[0].i - ref_globals.k_gain, 20);
  EACH(c, 0) p[1][c] = whole(TYPE(0), x[c].i);
}

REF(entries) {
  UNUSED;
  static const int table[] = {3, -1, 4, -1, 5};
  char t = TYPE(1);
  EACH(c, 1)
  p[1][c] = plus(t, p[1][c], whole(t, table[(p[0][0].i + c) % 5]));
}

REF(own) {
  UNUSED;
  char t = TYPE(1);
  EACH(c, 1) p[2][c] = plus(t, p[1][c], whole(t, ref_globals.k_own));
}

/* ---- real numbers -------------------------------------------------------- */

REF(times) {
  UNUSED;
  EACH(c, 0) p[2][c] = times(TYPE(0), p[0][c], p[1][c]);
}

REF(plus) {
  UNUSED;
  EACH(c, 0) p[2][c] = plus(TYPE(0), p[0][c], p[1][DIM(0) - 1 - c]);
}

REF(square) {
  UNUSED;
  EACH(c, 0) p[0][c] = times(TYPE(0), p[0][c], p[0][c]);
}

REF(step) {
  UNUSED;
  EACH(c, 0) p[1][c] = plus(TYPE(0), p[1][c], p[0][c]);
}

REF(divide) {
  UNUSED;
  char t = TYPE(0);
  EACH(c, 0) {
    union cell size = {.r = fabs(p[1][c].r)};
    p[2][c] = over(t, p[0][c], plus(t, size, whole(t, 1)));
  }
}

REF(root) {
  UNUSED;
  EACH(c, 0) p[1][c] = real(TYPE(0), sqrt(fabs(p[0][c].r)));
}

REF(relax) {
  UNUSED;
  char t = TYPE(0);
  EACH(c, 0) {
    union cell d = less(t, p[1][c], p[0][c]);
    p[0][c] = plus(t, p[0][c], times(t, d, real(t, 0.3)));
  }
}

REF(mean) {
  UNUSED;
  char t = TYPE(0);
  EACH(c, 0) {
    union cell s = plus(t, plus(t, v[0][0][c], v[0][1][c]), v[0][2][c]);
    p[1][c] = over(t, s, whole(t, 3));
  }
}

REF(weigh) {
  UNUSED;
  char t = TYPE(0);
  EACH(c, 0)
  p[2][c] = times(t, times(t, p[0][c], p[1][c]), real(t, ref_globals.k_real));
}

REF(blend) {
  UNUSED;
  char t = TYPE(0);
  EACH(c, 0)
  p[0][c] = plus(t, times(t, p[0][c], real(t, 0.5)), p[1][c]);
}

REF(narrow) {
  UNUSED;
  p[1][0] = real(TYPE(1), p[0][0].r);
}

static const struct {
  const char *family;
  ref_fn *ref;
} families[] = {
#define FAMILY(name) {#name, ref_##name}
    FAMILY(own),    FAMILY(far),     FAMILY(turn),    FAMILY(entries),
    FAMILY(copy),   FAMILY(part),    FAMILY(thirds),  FAMILY(swap),
    FAMILY(top),    FAMILY(ext),     FAMILY(argmin),  FAMILY(argmax),
    FAMILY(work),   FAMILY(choose),  FAMILY(pick),    FAMILY(add),
    FAMILY(edge),   FAMILY(scatter), FAMILY(minus),   FAMILY(fold),
    FAMILY(scale),  FAMILY(gather),  FAMILY(gather6), FAMILY(gather3),
    FAMILY(inturn), FAMILY(both),    FAMILY(series),  FAMILY(shift),
    FAMILY(maybe),  FAMILY(looked),  FAMILY(ident),   FAMILY(konst),
    FAMILY(upto),   FAMILY(table),   FAMILY(count),   FAMILY(branch),
    FAMILY(clip),   FAMILY(effect),  FAMILY(wide),    FAMILY(convert),
    FAMILY(times),  FAMILY(plus),    FAMILY(square),  FAMILY(step),
    FAMILY(divide), FAMILY(root),    FAMILY(relax),   FAMILY(mean),
    FAMILY(weigh),  FAMILY(blend),   FAMILY(narrow),  FAMILY(trade),
    FAMILY(field),  FAMILY(pass),    FAMILY(less),    FAMILY(grade),
    FAMILY(bottom),
};

ref_fn *
ref_find(const char *family) {
  for (size_t k = 0; k < sizeof families / sizeof *families; k++)
    if (!strcmp(families[k].family, family)) return families[k].ref;
  assert(!"a family without meaning");
  return NULL;
}
