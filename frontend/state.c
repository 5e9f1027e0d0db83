/* Facts of state that shape code, as numbers in the keys of programs: which
 * dats share buffers, where values are, how far out they are right. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"

#include "base/ids.h"
#include "base/str.h"

#include <stdlib.h>

static struct ids states;
static uint32_t last;
/* Dats, one for each buffer that several share. */
static uint32_t *firsts, nfirsts, capfirsts;

static uint32_t
number_of(struct str *key) {
  uint32_t id = ids_get(&states, &last, key->s, key->len);
  str_clear(key);
  return id;
}

void
fe_states_keep(const uint32_t *words, size_t n) {
  for (size_t i = 0; i < n; i++) ids_keep(&states, words[i]);
}

void
fe_states_sweep(void) {
  ids_keep(&states, fe.state_id);
  ids_sweep(&states);
}

void
fe_states_clear(void) {
  ids_clear(&states);
  free(firsts);
  firsts = NULL;
  nfirsts = capfirsts = 0;
}

/* ---- which dats share buffers -------------------------------------------- */

void
fe_state_update(void) {
  struct str key = STR_INIT;
  nfirsts = 0;
  for (uint32_t i = 0; i < fe_all.ndats; i++) {
    const struct fe_dat *d = fe_all.dats[i];
    if (!d->rt.buf || d->rt.buf->refs < 2) continue;
    uint32_t k = 0;
    while (k < nfirsts && fe_all.dats[firsts[k]]->rt.buf != d->rt.buf) k++;
    if (k == nfirsts) {
      VEC_PUSH(firsts, nfirsts, capfirsts, i);
    } else if (!d->pinned) {
      uint32_t pair[2] = {firsts[k], i};
      str_addn(&key, (const char *)pair, sizeof pair);
    }
  }
  fe.state_id = key.len ? number_of(&key) : 0;
}

/* ---- where data are ------------------------------------------------------ */

const char *
fe_dat_at(const struct fe_dat *d, bool *both_out) {
  const struct rt_buf *b = d->rt.buf_current ? d->rt.buf : NULL;
  *both_out = false;
  if (d->parked || !b || !b->dev_valid) return NULL;
  *both_out = !b->stale || (rt_dat_mirror_current(&d->rt) && b->refs == 1);
  return fe_target_of(b->dev);
}

/* Part of a program's key: what pass place goes by. */
uint32_t
fe_residency_id(void) {
  struct str key = STR_INIT;
  if (!fe_devices_any()) return 0;
  str_add(&key, "at");
  for (uint32_t i = 0; i < fe_all.ndats; i++) {
    bool both;
    const char *at = fe_dat_at(fe_all.dats[i], &both);
    if (at) str_printf(&key, " %u %s%s", i, both ? "both " : "", at);
  }
  return number_of(&key);
}

/* ---- how far out values are right ---------------------------------------- */

/* Of a dat that a device and the mirror have, a host loop gets the mirror's. */
struct reach
fe_reach_of(const struct fe_dat *d) {
  const struct rt_buf *b = d->rt.buf_current ? d->rt.buf : NULL;
  if (!b || (b->stale && !b->dev_valid)) return d->rt.reach;
  bool mirror = b->stale && rt_dat_mirror_current(&d->rt);
  return mirror ? reach_meet(b->reach, d->rt.reach) : b->reach;
}

uint32_t
fe_reach_id(void) {
  if (!fe_ranked()) return 0;
  struct str key = STR_INIT;
  str_add(&key, "to");
  for (uint32_t i = 0; i < fe_all.ndats; i++) {
    struct reach r = REACH_FULL;
    if (!fe_all.dats[i]->parked) r = fe_reach_of(fe_all.dats[i]);
    str_addn(&key, (const char *)&r, sizeof r);
  }
  return number_of(&key);
}
