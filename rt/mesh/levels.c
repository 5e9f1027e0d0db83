/* See levels.h. */
#include "rt/mesh/levels.h"

#include <assert.h>
#include <stdlib.h>

/* ---- levels -------------------------------------------------------------- */

int
rt_level_index(const struct rt_axis *x, struct rt_level l) {
  assert(l.offset && abs(l.offset) <= x->limit);
  int within = l.offset < 0 ? l.offset + x->limit : l.offset + x->limit - 1;
  return 2 * x->limit * l.splitter + within;
}

struct rt_level
rt_level_of(const struct rt_axis *x, int index) {
  assert(index >= 0 && index < 2 * x->limit * x->nsplitters);
  int within = index % (2 * x->limit) - x->limit;
  return (struct rt_level){.splitter = index / (2 * x->limit),
                           .offset = within < 0 ? within : within + 1};
}

void
rt_interval_print(struct str *to, const struct rt_interval *v) {
  str_printf(to, "(%d,%d)-(%d,%d)", v->from.splitter, v->from.offset,
             v->to.splitter, v->to.offset);
}

/* ---- intervals ----------------------------------------------------------- */

static status
check_level(const char *end, const struct rt_axis *x, struct rt_level l) {
  if (l.splitter < 0 || l.splitter >= x->nsplitters)
    FAIL(ERR_ARG, "%s: splitter: expected 0 to %d, found %d", end,
         x->nsplitters - 1, l.splitter);
  if (!l.offset || l.offset < -x->limit || l.offset > x->limit)
    FAIL(ERR_ARG, "%s: offset: expected %d to -1 or 1 to %d, found %d", end,
         -x->limit, x->limit, l.offset);
  return OK;
}

status
rt_interval_check(const struct rt_axis *x, const struct rt_interval *v) {
  TRY(check_level("from", x, v->from));
  TRY(check_level("to", x, v->to));
  if (v->from.offset == -x->limit)
    FAIL(ERR_ARG,
         "from: expected an offset above %d, since no level of the "
         "splitter is before that, found (%d,%d)",
         -x->limit, v->from.splitter, v->from.offset);
  if (v->to.offset == x->limit)
    FAIL(ERR_ARG,
         "to: expected an offset below %d, since no level of the "
         "splitter is behind that, found (%d,%d)",
         x->limit, v->to.splitter, v->to.offset);
  if (rt_level_index(x, v->to) >= rt_level_index(x, v->from)) return OK;
  FAIL(ERR_ARG, "expected an end not before its begin, found (%d,%d)-(%d,%d)",
       v->from.splitter, v->from.offset, v->to.splitter, v->to.offset);
}

/* ---- loop intervals ------------------------------------------------------ */

static int
by_value(const void *a, const void *b) {
  const int *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Where loop intervals begin, and the last ends, ascending, each once. */
static int
find_cuts(const struct rt_axis *x, int n, const struct rt_interval *items,
          int *cut) {
  int k = 0;
  for (int i = 0; i < n; i++) {
    cut[2 * i] = rt_level_index(x, items[i].from);
    cut[2 * i + 1] = rt_level_index(x, items[i].to) + 1;
  }
  qsort(cut, 2 * (size_t)n, sizeof *cut, by_value);
  for (int i = 0; i < 2 * n; i++)
    if (!k || cut[k - 1] < cut[i]) cut[k++] = cut[i];
  assert(k >= 2);
  return k;
}

/* The items that hold from `begin` on. */
static uint64_t
find_items(const struct rt_axis *x, int n, const struct rt_interval *items,
           int begin) {
  uint64_t bits = 0;
  for (int i = 0; i < n; i++)
    if (rt_level_index(x, items[i].from) <= begin &&
        begin <= rt_level_index(x, items[i].to))
      bits |= (uint64_t)1 << i;
  return bits;
}

status
rt_loop_intervals(const struct rt_axis *x, int n,
                  const struct rt_interval *items, bool gaps,
                  struct rt_loop_interval *out, int *n_out) {
  int cut[2 * RT_ITEMS_MAX];
  assert(n >= 1 && n <= RT_ITEMS_MAX);
  int ncuts = find_cuts(x, n, items, cut);
  *n_out = 0;
  for (int i = 0; i + 1 < ncuts; i++) {
    struct rt_loop_interval v = {
        .at = {rt_level_of(x, cut[i]), rt_level_of(x, cut[i + 1] - 1)},
        .items = find_items(x, n, items, cut[i])};
    if (v.items)
      out[(*n_out)++] = v;
    else if (!gaps)
      FAIL(ERR_ARG, "expected no gap, found (%d,%d)-(%d,%d) in no item",
           v.at.from.splitter, v.at.from.offset, v.at.to.splitter,
           v.at.to.offset);
  }
  assert(*n_out >= 1 && *n_out <= 2 * n - 1);
  return OK;
}

/* ---- positions ----------------------------------------------------------- */

status
rt_splitters_check(const struct rt_axis *x, const idx_l *at, idx_l layers) {
  for (int s = 0; s < x->nsplitters; s++) {
    idx_l least = s ? at[s - 1] : 0;
    if (at[s] < least || at[s] > layers)
      FAIL(ERR_ARG, "position of splitter %d: expected %d to %d, found %d", s,
           least, layers, at[s]);
  }
  return OK;
}

static idx_g
level_layer(struct rt_level l, const idx_l *at) {
  return (idx_g)at[l.splitter] + l.offset - (l.offset > 0);
}

status
rt_interval_layers(const struct rt_interval *v, const idx_l *at, idx_l layers,
                   idx_l *lo, idx_l *hi) {
  idx_g first = level_layer(v->from, at), last = level_layer(v->to, at);
  bool inside = first >= 0 && last < layers;
  *lo = *hi = 0;
  if (last < first - 1 || (last >= first && !inside))
    FAIL(ERR_ARG, "(%d,%d)-(%d,%d): expected %s, found layers %lld to %lld",
         v->from.splitter, v->from.offset, v->to.splitter, v->to.offset,
         inside || last < first ? "levels that do not overlap"
                                : "levels within the axis",
         (long long)first, (long long)last);
  *lo = (idx_l)first;
  *hi = (idx_l)last;
  return OK;
}
