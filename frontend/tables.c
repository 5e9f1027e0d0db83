/* Tables of maps as loops go by them: in the numbers that sets have now, with
 * the program's numbers beside them, inverted. map->map stays what it is. */
#include "frontend/box.h"
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include "base/arena.h"
#include "base/log.h"
#include "rt/mesh/order.h"
#include "rt/mesh/step.h"
#include "rt/mesh/stretch.h"

#include <stdlib.h>
#include <string.h>

static uint64_t map_versions; /* process-wide: plans are cached by it */

void
fe_table_free(const struct fe_map *m, struct fe_table *t) {
  if (t->at) rt_mem_free(t->at, rt_relation_bytes(&m->rt));
  free(t->start);
  *t = (struct fe_table){0};
}

/* Room for the map's rows in any order. */
static status
table_alloc(const struct fe_map *m, struct fe_table *out) {
  *out = (struct fe_table){.at = rt_mem_new(rt_relation_bytes(&m->rt))};
  if (out->at && m->rt.start)
    out->start = mem_try((size_t)m->rt.from->n + 1, sizeof *out->start);
  if (out->at && (out->start || !m->rt.start)) return OK;
  fe_table_free(m, out);
  FAIL(ERR_MEMORY, "no memory for the numbers of map \"%s\": %zu bytes",
       m->pub.name, rt_relation_bytes(&m->rt));
}

status
fe_map_table(const struct fe_map *m, bool named, struct fe_table *out) {
  TRY(table_alloc(m, out));
  rt_relation_translate(&m->rt, m->pub.map, m->start, named, out->at,
                        out->start);
  return OK;
}

static void
rows_clear(struct fe_map *m) {
  if (!m->rows.table) return;
  rt_relation_clear(&m->rows);
  struct fe_map *last = fe_all.inverted[--fe_all.ninverted];
  fe_all.inverted[last->rows_at = m->rows_at] = last;
}

static void
forget_rules(struct fe_map *m) {
  rt_stretches_free((struct rt_stretches *)m->rt.stretches);
  rt_steps_free((struct rt_steps *)m->rt.steps);
  m->rt.stretches = NULL;
  m->rt.steps = NULL;
  m->nalong = 0;
  m->stretched = 0;
}

void
fe_number_map_clear(struct fe_map *m) {
  if (m->rt.table != m->pub.map)
    rt_mem_free((void *)m->rt.table, rt_relation_bytes(&m->rt));
  if (m->rt.named) rt_mem_free((void *)m->rt.named, rt_relation_bytes(&m->rt));
  if (m->rt.start != m->start) free((void *)m->rt.start);
  forget_rules(m);
  m->rt.table = m->pub.map;
  m->rt.start = m->start;
  m->rt.named = NULL;
  rows_clear(m);
}

void
fe_map_table_set(struct fe_map *m, struct fe_table t) {
  fe_number_map_clear(m);
  if (t.at) m->rt.table = t.at;
  if (t.start) m->rt.start = t.start;
  m->rt.version = ++map_versions;
}

status
fe_map_table_at_need(const struct fe_map *m, struct fe_table *out) {
  bool same = !m->rt.from->order && !m->rt.to->order;
  return same || fe_hollow(m) ? OK : fe_map_table(m, false, out);
}

status
fe_number_map(struct fe_map *m) {
  struct fe_table t = {0};
  TRY(fe_map_table_at_need(m, &t));
  fe_map_table_set(m, t);
  return OK;
}

status
fe_map_need(struct fe_map *m) {
  struct fe_rows rows;
  struct fe_table t = {0};
  if (!fe_hollow(m)) return OK;
  TRY(fe_rule_rows(m->by, (struct fe_set *)m->pub.from,
                   (struct fe_set *)m->pub.to, &rows));
  m->pub.map = rows.own;
  status st = fe_map_table_at_need(m, &t);
  if (st != OK) {
    rt_mem_free(m->pub.map, m->bytes);
    m->pub.map = NULL;
    return st;
  }
  m->rt.table = t.at ? t.at : m->pub.map;
  return OK;
}

static status
stretches_take(struct fe_map *m, uint32_t least) {
  struct rt_stretches *found = NULL;
  m->lines = fe_hollow(m);
  status st = m->lines
                  ? fe_rule_stretches(m->by, (struct fe_set *)m->pub.from,
                                      (struct fe_set *)m->pub.to, least, &found)
                  : rt_stretches_find(&m->rt, least, &found);
  m->rt.stretches = found;
  return st;
}

/* Without memory for them loops go by the table. */
static void
find_stretches(struct fe_map *m) {
  enum { SHORT = 4 }; /* shorter ones nobody asks for */
  uint32_t least = fe.opt.stretches == OPT_stretches_always ? 1 : SHORT;
  if (stretches_take(m, least) != OK) LOG_INFO("%s", err_last());
}

status
fe_number_stretches(struct fe_map *m) {
  bool found = m->rt.stretches || !fe_hollow(m);
  return found ? OK : stretches_take(m, 0);
}

static void
find_steps(struct fe_map *m) {
  struct rt_steps *found = NULL;
  if (rt_steps_find(&m->rt, &found) != OK) LOG_INFO("%s", err_last());
  m->rt.steps = found;
}

static void
find_layers(struct fe_map *m) {
  struct rt_column_layers x =
      fe_columns_alike((const struct fe_set *)m->pub.to);
  bool alike =
      m->column && m->start && x.height && rt_column_layers_find(&m->rt, &x);
  m->layers = alike ? x : (struct rt_column_layers){0};
}

static bool
start_alike(const struct fe_map *x, const struct fe_map *y) {
  size_t n = (size_t)x->rt.from->n + 1;
  return !memcmp(x->rt.start, y->rt.start, n * sizeof *x->rt.start);
}

/* The number of another map that was looked at as it is now, or its own. */
static uint64_t
find_starts(const struct fe_map *m) {
  static uint64_t numbers;
  if (!m->start) return 0;
  for (uint32_t k = 0; k < fe_all.nmap_tags; k++) {
    const struct fe_map *o = fe_all.map_tags[k];
    if (o && o != m && o->start && o->rt.from == m->rt.from && o->stretched &&
        o->stretched == o->rt.version && start_alike(o, m))
      return o->starts;
  }
  return ++numbers;
}

static void
find_rules(struct fe_map *m) {
  forget_rules(m);
  find_stretches(m);
  find_steps(m);
  find_layers(m);
  m->usual = m->start ? rt_usual_length(&m->rt) : 0;
  m->starts = find_starts(m);
  m->runs = fe_number_runs(m);
  m->stretched = m->rt.version;
}

struct fe_rules
fe_number_rules(struct fe_map *m) {
  if (m->stretched != m->rt.version) find_rules(m);
  const struct rt_stretches *s = m->rt.stretches;
  return (struct fe_rules){.stretch = s ? (uint32_t)(m->rt.from->n / s->n) : 0,
                           .still = s ? s->still : 0,
                           .usual = m->usual,
                           .run = (uint32_t)m->runs.length,
                           .run_entry = m->runs.entry,
                           .step = m->rt.steps ? m->rt.steps->step : 0,
                           .beside = m->rt.steps && m->rt.steps->beside,
                           .counts = m->rt.steps && m->rt.steps->counts,
                           .starts = m->starts,
                           .layers = m->layers};
}

int32_t
fe_number_shift(struct fe_map *m, const struct fe_map *rows, uint32_t entry) {
  enum { MOST = 64 };
  if (m->start || fe_map_need(m) != OK) return 0; /* not known */
  for (uint32_t k = 0; k < m->nalong; k++) {
    const struct fe_along *x = &m->along[k];
    if (x->rows == rows->rt.version && x->own == m->rt.version &&
        x->entry == entry)
      return x->shift;
  }
  struct fe_along x = {.rows = rows->rt.version,
                       .own = m->rt.version,
                       .entry = entry,
                       .shift = rt_rows_shift(&rows->rt, &m->rt, entry)};
  if (m->nalong == MOST) m->nalong = 0; /* most rows are gone by then */
  VEC_PUSH(m->along, m->nalong, m->capalong, x);
  return x.shift;
}

status
fe_number_map_take(struct fe_map *m, const idx_l *table, const int64_t *start) {
  struct fe_table t;
  struct rt_relation own = m->rt;
  m->rt.start = start; /* of whose rows there is to be a copy */
  status st = table_alloc(m, &t);
  size_t bytes = st == OK ? rt_relation_bytes(&m->rt) : 0;
  m->rt = own;
  TRY(st);
  if (bytes) memcpy(t.at, table, bytes);
  if (start)
    memcpy(t.start, start, ((size_t)m->rt.from->n + 1) * sizeof *start);
  fe_map_table_set(m, t);
  return OK;
}

/* Over ranks: the mirror's numbers of what the table names. */
static status
named_of_part(const struct fe_map *m, struct fe_table *out) {
  TRY(table_alloc(m, out));
  rt_relation_renumber(&m->rt, NULL, m->rt.to->order->row, out->at);
  return OK;
}

status
fe_number_named(struct fe_map *m) {
  struct fe_table t = {0};
  if (m->rt.named) return OK;
  TRY(fe_map_need(m));
  TRY(m->rt.from->part ? named_of_part(m, &t) : fe_map_table(m, true, &t));
  free(t.start); /* rows are where they are */
  m->rt.named = t.at;
  return OK;
}

status
fe_number_rows(struct fe_map *m) {
  const struct rt_order *order = m->rt.from->order;
  if (m->rows.table) return OK;
  TRY(fe_map_need(m));
  status st = rt_relation_inverse(&m->rt, order ? order->at : NULL, &m->rows);
  if (st != OK) return err_prefix(st, "rows of map \"%s\": ", m->pub.name);
  m->rows_at = fe_all.ninverted;
  VEC_PUSH(fe_all.inverted, fe_all.ninverted, fe_all.capinverted, m);
  return OK;
}

void
fe_number_rows_sweep(void) {
  for (uint32_t k = fe_all.ninverted; k-- > 0;) {
    struct fe_map *m = fe_all.inverted[k];
    if (!m->rows_kept) rows_clear(m);
    m->rows_kept = false;
  }
}

void
fe_map_drop(struct fe_map *m) {
  fe_number_map_clear(m);
  if (!m->foreign && m->pub.map) rt_mem_free(m->pub.map, m->bytes);
  free(m->start);
  m->start = NULL;
  m->pub.map = NULL;
  m->rt.table = NULL;
  m->rt.start = NULL;
  fe_ranks_map_clear(m);
}

void
fe_map_free(struct fe_map *m) {
  fe_map_drop(m);
  free(m->through);
  free(m->along);
  free((char *)m->pub.name);
  free(m);
}
