/* Events: what the library does, told while it begins and while it ends to one
 * listener (Kokkos Tools: frontend/kokkos.c). Without one each costs a load and
 * a branch. All come from the API's one thread. */
#ifndef BASE_EVENT_H
#define BASE_EVENT_H

#include "base/target.h"

#include <stdint.h>

enum event_kind {
  EVENT_NONE,
#define EVENT(kind, as, what) EVENT_##kind,
#include "base/events.def"
#undef EVENT
  EVENT_COUNT
};

struct event_place {
  struct target where; /* zero: the host */
  const void *at;      /* memory, or what a driver knows it by */
};

struct event {
  enum event_kind kind;
  const char *name; /* of a region, a dat, a reason; NULL: the kind's */
  struct event_place place, from; /* from: of copies */
  uint64_t bytes;                 /* of copies and memory */
};

/* NULL: nobody listens. What ends is told with what it began with. */
extern void (*event_listener)(const struct event *e, bool begins);

static inline void
event_begin(const struct event *e) {
  if (event_listener) event_listener(e, true);
}

static inline void
event_end(const struct event *e) {
  if (event_listener) event_listener(e, false);
}

/* A section, named by its kind. */
static inline void
event_section(enum event_kind kind, bool begins) {
  if (event_listener) event_listener(&(struct event){.kind = kind}, begins);
}

/* The same text, valid until event_clear; NULL if nobody listens. */
const char *event_name(const char *name);
/* Nobody listens any more. */
void event_clear(void);

#endif
