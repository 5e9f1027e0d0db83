/* Which programs suit which ways to play them. */
#include "suits.h"

#include "matrices.h"

#include <string.h>

/* What depends on the elements' numbers can't be renumbered. */
static bool
row_numbered(const struct row *r) {
  for (int a = 0; a < r->nparams; a++) {
    const struct param *m = &r->params[a];
    if (m->kind == P_INDEX || m->kind == P_ENTRY || m->kind == P_INFO)
      return true;
    if (m->kind == P_GBL && (m->access == 'W' || m->access == 'U')) return true;
  }
  return r->effect;
}

/* Elements of an overlay are those of another set, whose order would differ, and
 * those of subsets and columns follow theirs. */
static bool
dats_suit(const struct program *p, unsigned flags) {
  for (int k = 0; k < p->nsets; k++)
    if (flags & PLAY_RENUMBER && set_is_made(p, k)) return false;
  for (int d = 0; d < p->ndats; d++) {
    if (flags & PLAY_RENUMBER && p->dats[d].over >= 0) return false;
    if (flags & PLAY_NO_REALLOC && p->dats[d].soa) return false;
    if (flags & PLAY_RANKS && p->dats[d].over >= 0) return false;
  }
  return true;
}

/* The map of argument a, if its rows have their own lengths; NULL. */
static const struct pmap *
csr_of(const struct program *p, const struct op *o, int a) {
  int map = o->args[a].off ? -1 : o->args[a].map;
  return map >= 0 && p->maps[map].csr ? &p->maps[map] : NULL;
}

/* Does a device refuse the loop, whose elements are too large for it? */
static bool
loop_too_large(const struct program *p, const struct op *o) {
  size_t bytes = 0;
  for (int a = 0; a < o->nargs; a++) {
    const struct param *m = &o->row->params[a];
    const struct pmap *csr = csr_of(p, o, a);
    int count = csr && m->kind == P_VECTOR ? map_longest(csr) : m->count;
    bytes += (size_t)count * type_bytes(m->type, m->dim);
  }
  return bytes > 65536;
}

/* Do elements keep their numbers in parts: is it made of no box? */
static bool
keeps_numbers(const struct program *p, int s) {
  while (s >= 0 && !p->made[s].ndim && !p->made[s].points)
    s = p->made[s].of >= 0 ? p->made[s].of : p->made[s].over;
  return s < 0;
}

/* May the argument be what it is in parts? Ranks number their own elements. */
static bool
arg_suits_parts(const struct program *p, const struct op *o, int a) {
  const struct param *m = &o->row->params[a];
  int map = o->args[a].map;
  if (map >= 0 && p->maps[map].kind == MAP_LOCAL) return false;
  if (m->kind == P_INDEX || m->kind == P_ENTRY)
    return m->type == 'l' &&
           keeps_numbers(p, map < 0 ? o->what : p->maps[map].to);
  bool orders = m->kind == P_INFO ||
                (m->kind == P_GBL && (m->access == 'W' || m->access == 'U'));
  return !orders || keeps_numbers(p, o->what);
}

/* A scan of few dimensions is an error where the last one is cut. */
static bool
loop_suits_parts(const struct program *p, const struct op *o) {
  const struct pmade *u = &p->made[set_whole(p, o->what)];
  if (o->order && u->ndim && u->ndim < 3) return false;
  for (int a = 0; a < o->nargs; a++)
    if (!o->args[a].off && !arg_suits_parts(p, o, a)) return false;
  return true;
}

static bool
op_suits_parts(const struct program *p, const struct op *o) {
  if (o->row) return loop_suits_parts(p, o);
  if (o->kind >= DO_FETCH && o->kind <= DO_FREE)
    return !dat_is_matrix(p, o->what);
  return o->kind < DO_MULT;
}

/* Of a box without points the header does not say which rank has the halo. */
static bool
has_empty_box(const struct program *p) {
  for (int k = 0; k < p->nsets; k++)
    if (set_is_box(p, k) && !p->sets[k]) return true;
  return false;
}

struct program *
suits_parts(const struct program *p) {
  struct program *c = program_clone(p);
  for (int k = c->nops - 1; k >= 0; k--)
    if (!op_suits_parts(c, &c->ops[k])) program_drop(c, k);
  struct seen *seen = interp_program(c, NULL);
  interp_free(c, seen);
  if (seen && dats_suit(c, PLAY_RANKS) && !has_empty_box(c)) return c;
  program_free(c);
  return NULL;
}

static bool
has_overlays(const struct program *p) {
  bool any = false;
  for (int d = 0; d < p->ndats; d++) any |= p->dats[d].over >= 0;
  return any;
}

/* SPIR has no pointers to either a shared dat's memory or a copy, nor arrays of
 * pointers to the former, as rows of a matrix need them. */
static bool
loop_mixes_memory(const struct program *p, const struct op *o) {
  const char *family = o->row->family;
  bool shares = has_overlays(p);
  bool mixes = !strcmp(family, "choose") || !strcmp(family, "pick");
  for (int a = 0; a < o->nargs; a++)
    mixes |= csr_of(p, o, a) && o->row->params[a].kind == P_VECTOR;
  return shares && mixes;
}

bool
suits(const struct program *p, unsigned flags) {
  if (flags & PLAY_APART && play_apart_at(p) == p->nops) return false;
  if (!dats_suit(p, flags)) return false;
  if (flags & PLAY_PARTS && has_empty_box(p)) return false;
  for (int k = 0; k < p->nops; k++) {
    const struct row *r = p->ops[k].row;
    bool product =
        p->ops[k].kind == DO_MULT || p->ops[k].kind == DO_MULT_TURNED;
    if (flags & PLAY_DEVICE && product && has_overlays(p)) return false;
    /* in its own memory the program would write under pending loops */
    if (flags & PLAY_NO_REALLOC && p->ops[k].kind == DO_UPLOAD) return false;
    if (flags & PLAY_PARTS && !op_suits_parts(p, &p->ops[k])) return false;
    if (!r) continue;
    bool device_only = flags & PLAY_DEVICE && flags & PLAY_NO_EFFECTS;
    if (device_only &&
        (loop_too_large(p, &p->ops[k]) || loop_mixes_memory(p, &p->ops[k])))
      return false;
    if (flags & PLAY_RENUMBER && row_numbered(r)) return false;
    bool shares =
        op_shares_global(p, &p->ops[k]); /* runs in order, on the host */
    if (flags & PLAY_RENUMBER && shares) return false;
    if (flags & PLAY_NO_EFFECTS && (r->effect || shares)) return false;
    for (int a = 0; flags & PLAY_BASE_ONE && a < r->nparams; a++)
      if (r->params[a].kind == P_ENTRY) return false;
  }
  return true;
}
