/* Facts of state that shape code, as numbers in the keys of programs: which
 * dats share buffers, where values are, how far out they are right. */
#include "frontend/ranks.h"

#include <string.h>

/* ---- which dats share buffers -------------------------------------------- */

void
fe_state_update(void) {
  struct str key = STR_INIT;
  for (uint32_t i = 0; i < fe.ndats; i++) {
    const struct fe_dat *d = fe.dats[i];
    if (!d->rt.buf || d->rt.buf->refs < 2 || d->pinned) continue;
    for (uint32_t j = 0; j < i; j++)
      if (fe.dats[j]->rt.buf == d->rt.buf) {
        uint32_t pair[2] = {j, i};
        str_addn(&key, (const char *)pair, sizeof pair);
        break;
      }
  }
  fe.state_id = key.len ? ids_get(&fe.states, &fe.last_id, key.s, key.len) : 0;
  str_clear(&key);
}

/* ---- where data are ------------------------------------------------------ */

static const char *
name_of(const struct rt_device *d) {
  for (uint32_t k = 0; k < fe.ntargets; k++)
    if (fe.targets[k].device == d) return fe.targets[k].name;
  return NULL;
}

const char *
fe_dat_at(const struct fe_dat *d, bool *both_out) {
  const struct rt_buf *b = d->rt.buf_current ? d->rt.buf : NULL;
  *both_out = false;
  if (d->parked || !b || !b->dev_valid) return NULL;
  *both_out = !b->stale || (rt_dat_mirror_current(&d->rt) && b->refs == 1);
  return name_of(b->dev->device);
}

/* Part of a program's key: what pass place goes by. */
uint32_t
fe_residency_id(void) {
  struct str key = STR_INIT;
  if (!rt_device_any()) return 0;
  str_add(&key, "at");
  for (uint32_t i = 0; i < fe.ndats; i++) {
    bool both;
    const char *at = fe_dat_at(fe.dats[i], &both);
    if (at) str_printf(&key, " %u %s%s", i, both ? "both " : "", at);
  }
  uint32_t id = ids_get(&fe.states, &fe.last_id, key.s, key.len);
  str_clear(&key);
  return id;
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
  for (uint32_t i = 0; i < fe.ndats; i++) {
    struct reach r = REACH_FULL;
    if (!fe.dats[i]->parked) r = fe_reach_of(fe.dats[i]);
    str_addn(&key, (const char *)&r, sizeof r);
  }
  uint32_t id = ids_get(&fe.reaches, &fe.last_id, key.s, key.len);
  str_clear(&key);
  return id;
}
