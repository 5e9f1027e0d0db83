/* A kind is a row: what it is called, and whether a play has it. Operations behind
 * which nothing is looked at count as well: each program ends with looks at all. */
#include "kinds.h"

#include "boxes.h"
#include "columns.h"

#include "play.h"
#include "kernels.h"
#include "run.h"

#include <string.h>

typedef bool loop_test(const struct program *p, const struct op *o);

static bool
is_dat(const struct param *m) {
  return m->kind == P_DAT || m->kind == P_VECTOR;
}

/* A kernel does something else than its loop declares. */
static bool
is_odd(const struct program *p, const struct op *o) {
  (void)p;
  for (int a = 0; a < o->nargs; a++)
    if (o->row->params[a].access != o->row->params[a].declared) return true;
  return false;
}

/* Two arguments do different things with the memory of one dat. */
static bool
has_mixed_dat(const struct program *p, const struct op *o) {
  for (int a = 0; a < o->nargs; a++)
    for (int b = 0; b < a; b++) {
      const struct param *x = &o->row->params[a], *y = &o->row->params[b];
      if (is_dat(x) && is_dat(y) && x->access != y->access && !o->args[a].off &&
          !o->args[b].off &&
          dat_root(p, o->args[a].obj) == dat_root(p, o->args[b].obj))
        return true;
    }
  return false;
}

/* A function has a name that generated code, LLVM or libm have as well. */
static bool
is_renamed(const struct program *p, const struct op *o) {
  (void)p;
  return strcmp(o->row->name, o->row->c) != 0;
}

/* Two functions of the program have one name. */
static bool
shares_name(const struct program *p, const struct op *o) {
  for (int k = 0; k < p->nops; k++) {
    const struct row *r = p->ops[k].kind == DO_LOOP ? p->ops[k].row : NULL;
    if (r && r != o->row && !strcmp(r->c, o->row->c)) return true;
  }
  return false;
}

static bool
has_type(const struct op *o, const char *letters) {
  for (int a = 0; a < o->nargs; a++)
    if (o->row->params[a].type && !o->args[a].off &&
        strchr(letters, o->row->params[a].type))
      return true;
  return false;
}

/* A type that is aligned to more than 16 bytes. */
static bool
is_aligned(const struct program *p, const struct op *o) {
  (void)p;
  return has_type(o, "VWAP");
}

static bool
has_struct(const struct program *p, const struct op *o) {
  (void)p;
  return has_type(o, "APST");
}

/* An element that is too large for a register file, and some for a stack. */
static bool
is_large(const struct program *p, const struct op *o) {
  (void)p;
  for (int a = 0; a < o->nargs; a++)
    if (o->row->params[a].dim > 100) return true;
  return false;
}

/* Its kernel calls functions of other files. */
static bool
is_helped(const struct program *p, const struct op *o) {
  static const char *const families[] = {"far", "turn", "entries"};
  (void)p;
  for (size_t k = 0; k < sizeof families / sizeof *families; k++)
    if (!strcmp(o->row->family, families[k])) return true;
  return !strncmp(o->row->name, "far_", 4);
}

/* Beside others that do, a kernel carries no IR. */
static bool
is_plain(const struct program *p, const struct op *o) {
  (void)p;
  return run_mixed && kernel_find(o->row->name)->plain;
}

/* Its kernel mentions a constant that ranks have different values of. */
static bool
has_own_constant(const struct program *p, const struct op *o) {
  (void)p;
  return !strcmp(o->row->family, "own");
}

static bool
shares_global(const struct program *p, const struct op *o) {
  return op_shares_global(p, o);
}

/* Two arguments have memory in common, from other addresses on or not. */
static bool
overlaps_global(const struct program *p, const struct op *o) {
  for (int a = 0; a < o->nargs; a++)
    for (int b = 0; b < a; b++) {
      int g = o->args[a].obj, h = o->args[b].obj;
      if (o->row->params[a].kind == P_GBL && o->row->params[b].kind == P_GBL &&
          !o->args[a].off && !o->args[b].off && g != h && gbls_meet(p, g, h))
        return true;
    }
  return false;
}

/* A dat that lies in another one's memory. */
static bool
lies_over(const struct program *p, const struct op *o) {
  for (int a = 0; a < o->nargs; a++)
    if (is_dat(&o->row->params[a]) && !o->args[a].off &&
        p->dats[o->args[a].obj].over >= 0)
      return true;
  return false;
}

static bool
is_over_subset(const struct program *p, const struct op *o) {
  return p->made[o->what].of >= 0;
}

/* Over a subset, through a map from another set than it. */
static bool
goes_beyond(const struct program *p, const struct op *o) {
  for (int a = 0; a < o->nargs; a++)
    if (!o->args[a].off && o->args[a].map >= 0 &&
        p->maps[o->args[a].map].from != o->what)
      return true;
  return false;
}

static bool
has_made_map(const struct program *p, const struct op *o) {
  for (int a = 0; a < o->nargs; a++)
    if (!o->args[a].off && o->args[a].map >= 0 &&
        p->maps[o->args[a].map].kind >= MAP_KINDS &&
        p->maps[o->args[a].map].kind < MAP_COLUMNS)
      return true;
  return false;
}

static bool
has_rows_of_any_length(const struct program *p, const struct op *o) {
  for (int a = 0; a < o->nargs; a++)
    if (!o->args[a].off && o->args[a].map >= 0 && p->maps[o->args[a].map].csr)
      return true;
  return false;
}

static bool
has_block(const struct program *p, const struct op *o) {
  (void)p;
  for (int a = 0; a < o->nargs; a++)
    if (o->row->params[a].packed) return true;
  return false;
}

static bool
has_map_of(const struct program *p, const struct op *o, enum map_kind kind) {
  for (int a = 0; a < o->nargs; a++)
    if (!o->args[a].off && o->args[a].map >= 0 &&
        p->maps[o->args[a].map].kind == kind)
      return true;
  return false;
}

static bool
is_over_columns(const struct program *p, const struct op *o) {
  return set_has_columns(p, set_whole(p, o->what));
}

static bool
has_local_matrix(const struct program *p, const struct op *o) {
  return has_map_of(p, o, MAP_LOCAL);
}

static bool
is_over_box(const struct program *p, const struct op *o) {
  return set_is_box(p, set_whole(p, o->what));
}

static bool
has_halo(const struct program *p, const struct op *o) {
  for (int a = 0; a < o->nargs; a++)
    if (is_dat(&o->row->params[a]) && !o->args[a].off &&
        p->made[p->dats[o->args[a].obj].set].points)
      return true;
  return false;
}

static bool
has_box_temp(const struct program *p, const struct op *o) {
  for (int a = 0; a < o->nargs; a++)
    if (is_dat(&o->row->params[a]) && !o->args[a].off &&
        p->dats[o->args[a].obj].temp &&
        p->made[p->dats[o->args[a].obj].set].points)
      return true;
  return false;
}

static bool
has_rule(const struct program *p, const struct op *o) {
  return has_map_of(p, o, MAP_RULE);
}

static bool
has_rule_table(const struct program *p, const struct op *o) {
  return has_map_of(p, o, MAP_TABLE);
}

static bool
is_over_grid(const struct program *p, const struct op *o) {
  return set_is_grid(p, set_whole(p, o->what));
}

static bool
has_grid_map(const struct program *p, const struct op *o) {
  return has_map_of(p, o, MAP_GRID);
}

/* By rule, or the rule's table, from one set to another one. */
static bool
has_rule_between(const struct program *p, const struct op *o) {
  for (int a = 0; a < o->nargs; a++) {
    const struct pmap *m =
        o->args[a].off || o->args[a].map < 0 ? NULL : &p->maps[o->args[a].map];
    if (m && map_is_rule(m) && m->from != m->to) return true;
  }
  return false;
}

/* A composed or permuted map leads to a box: made of a rule's table, or behind one. */
static bool
has_map_of_tables(const struct program *p, const struct op *o) {
  for (int a = 0; a < o->nargs; a++) {
    const struct pmap *m =
        o->args[a].off || o->args[a].map < 0 ? NULL : &p->maps[o->args[a].map];
    bool made = m && (m->kind == MAP_COMPOSED || m->kind == MAP_PERMUTED);
    if (made && set_is_box(p, set_whole(p, m->to))) return true;
  }
  return false;
}

static bool
is_empty_box(const struct program *p, const struct op *o) {
  return is_over_box(p, o) && !p->sets[set_whole(p, o->what)];
}

static bool
is_any(const struct program *p, const struct op *o) {
  (void)p, (void)o;
  return true;
}

static bool
is_over_region(const struct program *p, const struct op *o) {
  return p->made[o->what].region;
}

static bool
has_column_map(const struct program *p, const struct op *o) {
  return has_map_of(p, o, MAP_COLUMNS);
}

static bool
has_layer(const struct program *p, const struct op *o) {
  (void)p;
  for (int a = 0; a < o->nargs; a++)
    if (!o->args[a].off && o->args[a].layered) return true;
  return false;
}

/* A scan reads what it left in layers before. */
static bool
reads_layers_before(const struct program *p, const struct op *o) {
  (void)p;
  for (int a = 0; o->order && a < o->nargs; a++)
    for (int b = 0; b < o->nargs && o->args[a].layer; b++)
      if (is_dat(&o->row->params[b]) && param_writes(&o->row->params[b]) &&
          !o->args[a].off && o->args[a].obj == o->args[b].obj)
        return true;
  return false;
}

static bool
is_in_order(const struct program *p, const struct op *o) {
  (void)p;
  return o->order != ORDER_NONE;
}

static bool
is_box_scan(const struct program *p, const struct op *o) {
  return o->order && is_over_box(p, o);
}

static bool
is_part_scan(const struct program *p, const struct op *o) {
  return o->order && is_over_subset(p, o);
}

static bool
has_box_layer(const struct program *p, const struct op *o) {
  return is_over_box(p, o) && has_layer(p, o);
}

static bool
has_kernels(const struct program *p, const struct op *o) {
  (void)p;
  return o->nlevels > 1;
}

/* Splitters had another place before. */
static bool
is_moved(const struct program *p, const struct op *o) {
  for (const struct op *x = p->ops; x < o; x++)
    if (x->kind == DO_PLACE && x->what == o->what && x->x != o->x) return true;
  return false;
}

static const struct {
  const char *name;
  loop_test *loop; /* of some loop; NULL: any */
  unsigned flags;  /* PLAY_*: the mode has all of these */
  enum op_kind op; /* ... of some operation of this kind, in place of a loop */
} kinds[] = {
    {"odd accesses", is_odd, 0, DO_LOOP},
    {"a dat in two ways", has_mixed_dat, 0, DO_LOOP},
    {"names of others", is_renamed, 0, DO_LOOP},
    {"a name twice", shares_name, 0, DO_LOOP},
    {"aligned types", is_aligned, 0, DO_LOOP},
    {"structs", has_struct, 0, DO_LOOP},
    {"large elements", is_large, 0, DO_LOOP},
    {"helpers elsewhere", is_helped, 0, DO_LOOP},
    {"a global twice", shares_global, 0, DO_LOOP},
    {"overlapping globals", overlaps_global, 0, DO_LOOP},
    {"overlapping dats", lies_over, 0, DO_LOOP},
    {"subsets", is_over_subset, 0, DO_LOOP},
    {"maps of whole sets", goes_beyond, 0, DO_LOOP},
    {"maps made from maps", has_made_map, 0, DO_LOOP},
    {"rows of any length", has_rows_of_any_length, 0, DO_LOOP},
    {"blocks", has_block, 0, DO_LOOP},
    {"columns", is_over_columns, 0, DO_LOOP},
    {"regions", is_over_region, 0, DO_LOOP},
    {"maps of columns", has_column_map, 0, DO_LOOP},
    {"layers", has_layer, 0, DO_LOOP},
    {"boxes", is_over_box, 0, DO_LOOP},
    {"halos", has_halo, 0, DO_LOOP},
    {"temporaries of boxes", has_box_temp, 0, DO_LOOP},
    {"rules", has_rule, 0, DO_LOOP},
    {"tables of rules", has_rule_table, 0, DO_LOOP},
    {"grids", is_over_grid, 0, DO_LOOP},
    {"neighbours in grids", has_grid_map, 0, DO_LOOP},
    {"rules between sets", has_rule_between, 0, DO_LOOP},
    {"maps made into boxes", has_map_of_tables, 0, DO_LOOP},
    {"empty boxes", is_empty_box, 0, DO_LOOP},
    {"scans", is_in_order, 0, DO_LOOP},
    {"scans of boxes", is_box_scan, 0, DO_LOOP},
    {"scans of parts", is_part_scan, 0, DO_LOOP},
    {"layers before", reads_layers_before, 0, DO_LOOP},
    {"layers of boxes", has_box_layer, 0, DO_LOOP},
    {"levels", is_any, 0, DO_LEVELS},
    {"levels in order", is_in_order, 0, DO_LEVELS},
    {"levels of kernels", has_kernels, 0, DO_LEVELS},
    {"moved splitters", is_moved, 0, DO_PLACE},
    {"local matrices", has_local_matrix, 0, DO_LOOP},
    {"products", is_any, 0, DO_MULT},
    {"transposed products", is_any, 0, DO_MULT_TURNED},
    {"masks", is_any, 0, DO_MASK},
    {"rows of matrices", is_any, 0, DO_ZERO_ROWS},
    {"overlapping arrays", lies_over, PLAY_NO_REALLOC, DO_LOOP},
    {"peeks", NULL, PLAY_PEEK, DO_LOOP},
    {"plain files", NULL, PLAY_MIXED, DO_LOOP},
    {"plain kernels", is_plain, 0, DO_LOOP},
    {"constants of ranks' own", has_own_constant, PLAY_RANKS, DO_LOOP},
    {"options of ranks' own", NULL, PLAY_OWN, DO_LOOP},
    {"shared options differ", NULL, PLAY_REFUSED, DO_LOOP},
    {"flags differ", NULL, PLAY_APART, DO_LOOP},
};
enum { NKINDS = sizeof kinds / sizeof *kinds };
_Static_assert((int)NKINDS <= (int)KINDS_MAX, "one bit for each");

static bool
has_loop(const struct program *p, int kind) {
  loop_test *test = kinds[kind].loop;
  if (!test) return true;
  for (int k = 0; k < p->nops; k++)
    if (p->ops[k].kind == kinds[kind].op && test(p, &p->ops[k])) return true;
  return false;
}

uint64_t
kinds_of(const struct program *p, const struct mode *m) {
  uint64_t bits = 0;
  unsigned only = m->flags & PLAY_APART; /* it ends before what else it has */
  for (int k = 0; k < NKINDS; k++)
    if ((m->flags & kinds[k].flags) == kinds[k].flags &&
        (kinds[k].flags & only) == only && has_loop(p, k))
      bits |= UINT64_C(1) << k;
  return bits;
}

bool
kind_is(const char *name, const struct program *p) {
  for (int k = 0; k < NKINDS; k++)
    if (!strcmp(kinds[k].name, name)) return has_loop(p, k);
  return false;
}

const char *
kind_name(int kind) {
  return kind < NKINDS ? kinds[kind].name : NULL;
}
