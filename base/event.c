#include "base/event.h"

#include "base/arena.h"
#include "base/table.h"

void (*event_listener)(const struct event *e, bool begins);

static struct table names;
static struct arena arena;

const char *
event_name(const char *name) {
  return event_listener && name ? intern_str(&names, &arena, name) : NULL;
}

void
event_clear(void) {
  event_listener = NULL;
  table_clear(&names);
  arena_clear(&arena);
}
