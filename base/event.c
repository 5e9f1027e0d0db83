#include "base/event.h"

#include "base/arena.h"
#include "base/table.h"

#include <assert.h>

unsigned event_listening;

static event_listener *listeners[EVENT_TIMELINE]; /* by bit, from 1 on */
static struct table names;
static struct arena arena;

void
event_listen(enum event_who who, event_listener *tell) {
  listeners[who - 1] = tell;
  event_listening = tell ? event_listening | who : event_listening & ~who;
}

void
event_tell(const struct event *e, enum event_when when) {
  assert(e->kind > EVENT_NONE && e->kind < EVENT_COUNT);
  for (unsigned who = EVENT_TOOLS; who <= EVENT_TIMELINE; who <<= 1)
    if (listeners[who - 1]) listeners[who - 1](e, when);
}

const char *
event_name(const char *name) {
  return event_listening && name ? intern_str(&names, &arena, name) : NULL;
}

void
event_clear(void) {
  for (unsigned who = EVENT_TOOLS; who <= EVENT_TIMELINE; who <<= 1)
    event_listen(who, NULL);
  table_clear(&names);
  arena_clear(&arena);
}
