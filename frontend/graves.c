/* Sets and maps come and go: what becomes of one that op2_free ended.
 *
 * Problem. Loops that wait still use it, calls and programs of before know its
 * address and its number; a program that frees what it declares must not grow.
 *
 * Idea. Three steps, each when it can be:
 *
 *   freed   its handle is void; no call that uses it is found again (call.c)
 *   gone    no waiting loop uses it: it leaves the lists that loops, ranks,
 *           numberings and files go by; tables and parts are given back
 *   end     no call knows it: after a sweep, or at once if none ever did
 *
 * Numbers in traces are tags, not places in the lists: a tag is free again only
 * at the end. Hidden maps of a subset, or made of a freed map, go with it.
 *
 * Cost. Nothing while nothing was freed; then a pass over waiting loops and
 * lists at each op2_free. */
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/ranks.h"

#include "rt/ranks/dist.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists --------------------------------------------------------------- */

void
fe_set_list(struct fe_set *s) {
  assert(s->pub.index == (int)fe_all.nsets);
  VEC_PUSH(fe_all.sets, fe_all.nsets, fe_all.capsets, s);
  if (fe_all.nfree_set_tags) {
    s->tag = fe_all.free_set_tags[--fe_all.nfree_set_tags];
    fe_all.set_tags[s->tag] = s;
    return;
  }
  s->tag = fe_all.nset_tags;
  VEC_PUSH(fe_all.set_tags, fe_all.nset_tags, fe_all.capset_tags, s);
}

void
fe_map_list(struct fe_map *m) {
  VEC_PUSH(fe_all.maps, fe_all.nmaps, fe_all.capmaps, m);
  if (fe_all.nfree_map_tags) {
    m->tag = fe_all.free_map_tags[--fe_all.nfree_map_tags];
    fe_all.map_tags[m->tag] = m;
    return;
  }
  m->tag = fe_all.nmap_tags;
  VEC_PUSH(fe_all.map_tags, fe_all.nmap_tags, fe_all.capmap_tags, m);
}

/* Place k of the list goes; those behind it move up. */
static void
set_unlist(uint32_t k) {
  struct fe_set **all = fe_all.sets;
  memmove(all + k, all + k + 1, (--fe_all.nsets - k) * sizeof *all);
  for (; k < fe_all.nsets; k++) all[k]->pub.index = (int)k;
}

static void
map_unlist(uint32_t k) {
  struct fe_map **all = fe_all.maps;
  memmove(all + k, all + k + 1, (--fe_all.nmaps - k) * sizeof *all);
  fe_ranks.maps_spread -= k < fe_ranks.maps_spread;
  if (fe_ranks.maps_compared != UINT32_MAX)
    fe_ranks.maps_compared -= k < fe_ranks.maps_compared;
}

/* ---- who knows it -------------------------------------------------------- */

/* Was it noted since the marking under way began? */
static bool
is_called(uint64_t called) {
  return called == fe_all.marking + 1;
}

/* Of points their box's domain, too, from which these are understood. */
static void
set_note(struct op_set_core *set, bool waits) {
  struct fe_set *s = (struct fe_set *)set, *domain;
  s->called = fe_all.marking + 1;
  s->waits |= waits;
  if (!fe_points_of(s, &domain)) return;
  domain->called = s->called;
  domain->waits |= waits;
}

static void
map_note(struct fe_map *m, bool waits) {
  m->called = fe_all.marking + 1;
  m->waits |= waits;
  set_note(m->pub.from, waits);
  set_note(m->pub.to, waits);
}

static void
call_note(const struct fe_call *c, bool waits) {
  set_note(c->set_handle, waits);
  if (c->each) map_note(c->each, waits);
  for (uint32_t a = 0; a < c->nargs; a++) {
    struct fe_map *m = c->args[a].map;
    if (c->args[a].dat) set_note(c->args[a].dat->pub.set, waits);
    if (m) map_note(m, waits);
  }
}

void
fe_graves_note(const struct fe_call *c) {
  call_note(c, false);
}

void
fe_graves_unmark(void) {
  fe_all.marking++;
}

static void
note_waits(struct fe_call *c) {
  call_note(c, true);
}

/* What loops that wait name, and what their programs, which no call knows, make
 * of two maps (bind.c). */
static void
waiting_find(void) {
  for (uint32_t k = 0; k < fe_all.nsets; k++) fe_all.sets[k]->waits = false;
  for (uint32_t k = 0; k < fe_all.nmaps; k++) fe_all.maps[k]->waits = false;
  fe_recs_calls(note_waits);
  for (uint32_t k = 0; k < fe_all.nmaps; k++) { /* made behind their parents */
    struct fe_map *m = fe_all.maps[k];
    if (m->first && m->first->waits && m->then->waits) map_note(m, true);
  }
}

/* ---- the end ------------------------------------------------------------- */

static void
set_end(struct fe_set *s) {
  assert(s->gone && !is_called(s->called));
  fe_all.set_tags[s->tag] = NULL;
  VEC_PUSH(fe_all.free_set_tags, fe_all.nfree_set_tags, fe_all.capfree_set_tags,
           s->tag);
  fe_handle_forget(s);
  if (s->box) fe_points_ended(s);
  fe_set_free(s);
}

/* Its memory waits for another: a program may hold the handle, by mistake. */
static void
map_end(struct fe_map *m) {
  assert(m->gone && !is_called(m->called) && !m->pub.map);
  fe_all.map_tags[m->tag] = NULL;
  VEC_PUSH(fe_all.free_map_tags, fe_all.nfree_map_tags, fe_all.capfree_map_tags,
           m->tag);
  if (m->by) fe_rule_left(m->by);
  VEC_PUSH(fe_all.ended, fe_all.nended, fe_all.capended, m);
}

void
fe_graves_sweep(void) {
  uint32_t maps = 0, sets = 0;
  for (uint32_t k = 0; k < fe_all.ngone_maps; k++) {
    struct fe_map *m = fe_all.gone_maps[k];
    if (is_called(m->called))
      fe_all.gone_maps[maps++] = m;
    else
      map_end(m);
  }
  for (uint32_t k = 0; k < fe_all.ngone_sets; k++) {
    struct fe_set *s = fe_all.gone_sets[k];
    if (is_called(s->called))
      fe_all.gone_sets[sets++] = s;
    else
      set_end(s);
  }
  fe_all.ngone_maps = maps;
  fe_all.ngone_sets = sets;
}

static void
map_bury(struct fe_map *m) {
  m->gone = true;
  fe_map_drop(m);
  fe_all.dying--;
  if (is_called(m->called))
    VEC_PUSH(fe_all.gone_maps, fe_all.ngone_maps, fe_all.capgone_maps, m);
  else
    map_end(m);
}

static void
set_bury(struct fe_set *s) {
  s->gone = true;
  if (s->rt.part) rt_halo_forget(fe_ranks.halo);
  fe_set_drop(s);
  fe_all.dying--;
  if (is_called(s->called))
    VEC_PUSH(fe_all.gone_sets, fe_all.ngone_sets, fe_all.capgone_sets, s);
  else
    set_end(s);
}

void
fe_graves_dig(void) {
  if (!fe_all.dying) return;
  waiting_find();
  for (uint32_t k = fe_all.nmaps; k-- > 0;) {
    struct fe_map *m = fe_all.maps[k];
    if (!m->freed || m->waits) continue;
    map_unlist(k);
    map_bury(m);
  }
  for (uint32_t k = fe_all.nsets; k-- > 0;) {
    struct fe_set *s = fe_all.sets[k];
    if (!s->freed || s->waits) continue;
    set_unlist(k);
    set_bury(s);
  }
}

/* ---- what goes with it --------------------------------------------------- */

static bool
ends_with(const struct fe_map *m) {
  if (!m->hidden || m->freed) return false;
  if (m->by && fe_rule_freed(m->by)) return true;
  if (((struct fe_set *)m->pub.from)->freed) return true;
  if (((struct fe_set *)m->pub.to)->freed) return true;
  return m->first && (m->first->freed || m->then->freed);
}

static void
through_forget(struct fe_map *m) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->nthrough; i++)
    if (!m->through[i]->freed) m->through[n++] = m->through[i];
  m->nthrough = n;
}

void
fe_graves_follow(void) {
  for (bool more = true; more;) {
    more = false;
    for (uint32_t k = 0; k < fe_all.nmaps; k++) {
      struct fe_map *m = fe_all.maps[k];
      if (!ends_with(m)) continue;
      m->freed = more = true;
      fe_all.dying++;
    }
  }
  for (uint32_t k = 0; k < fe_all.nmaps; k++) through_forget(fe_all.maps[k]);
}
