/* Events: what the library does, told while it begins and while it ends to
 * whoever listens: connectors of Kokkos Tools (frontend/kokkos.c), the timeline
 * of OP2_TRACE (frontend/timeline.c). Without one each costs a load and a
 * branch. All come from the API's one thread; what other threads did is told by
 * it when it is over. */
#ifndef BASE_EVENT_H
#define BASE_EVENT_H

#include "base/target.h"

#include <stdbool.h>
#include <stdint.h>

enum event_kind {
  EVENT_NONE,
#define EVENT(kind, as, row, what) EVENT_##kind,
#include "base/events.def"
#undef EVENT
  EVENT_COUNT
};

struct event_place {
  struct target where; /* zero: the host */
  const void *at;      /* memory, or what a driver knows it by */
};

enum { EVENT_TEAM = 1000 };
struct event {
  enum event_kind kind;
  int thread; /* of one that is over: 0: the program's; from 1 on: helpers that
                 compile; from EVENT_TEAM on: those of a region's team */
  const char *name; /* of a region, a dat, a reason; NULL: the kind's */
  struct event_place place, from; /* from: of copies */
  uint64_t bytes;                 /* of copies and memory */
  const char *words; /* where it ends: members of a JSON object; NULL: none */
  double begin, end; /* of one that is over: times of timer_wall */
};

/* What ends is told with what it began with; its name may have come. */
enum event_when { EVENT_BEGINS, EVENT_ENDS, EVENT_OVER };
typedef void event_listener(const struct event *e, enum event_when when);

/* Who may listen. Tools time devices themselves, so these are waited for; the
 * timeline wants words. */
enum event_who { EVENT_TOOLS = 1, EVENT_TIMELINE = 2 };
/* Those who do, as bits. */
extern unsigned event_listening;
/* NULL: no longer. */
void event_listen(enum event_who who, event_listener *tell);
void event_tell(const struct event *e, enum event_when when);

static inline void
event_begin(const struct event *e) {
  if (event_listening) event_tell(e, EVENT_BEGINS);
}

static inline void
event_end(const struct event *e) {
  if (event_listening) event_tell(e, EVENT_ENDS);
}

/* A section without words, named by its kind. */
static inline void
event_section(enum event_kind kind, bool begins) {
  const struct event e = {.kind = kind};
  if (event_listening) event_tell(&e, begins ? EVENT_BEGINS : EVENT_ENDS);
}

/* Has an event words to carry? */
static inline bool
event_in_words(void) {
  return event_listening & EVENT_TIMELINE;
}

/* The same text, valid until event_clear; NULL if nobody listens. */
const char *event_name(const char *name);
/* Nobody listens any more. */
void event_clear(void);

#endif
