/* Slots of dats: see slots.c. */
#ifndef FRONTEND_SLOTS_H
#define FRONTEND_SLOTS_H

#include "frontend/fe.h"

/* What calls and programs know of a dat: slots alike in it may be exchanged. */
struct fe_like {
  op_set set;
  int dim;
  struct type type;
  const char *type_name;
  bool temp;
  struct fe_dat *base; /* an overlay's; NULL */
};
/* A parked slot that calls know; NULL: none. */
struct fe_dat *fe_slot_like(const struct fe_like *l);
/* `made` (storage, layout, pinned) becomes a dat, in this slot (NULL: one that
 * nobody knows). It
 * shares no root yet, and its handle is not valid yet. */
struct fe_dat *fe_slot_take(struct fe_dat *slot, const struct fe_like *l,
                            const char *name, const struct fe_dat *made);
/* A pinned dat shares the roots of all that it overlaps. ERR_DEVICE */
status fe_slot_join(struct fe_dat *d);
/* A freed dat that no pending loop uses: its memory goes, unless overlays hold
 * it, and the slot waits. */
void fe_slot_park(struct fe_dat *d);
/* At op_exit. */
void fe_slot_clear(struct fe_dat *d);

#endif
