/* Kokkos Tools, the caller's side: what the library does, told to connectors
 * that were written for programs of Kokkos.
 *
 * Problem   Profilers (Caliper, TAU, VTune, Nsight through NVTX, memory and
 *           time tables) know nothing of regions that are made while the
 *           program runs.
 *
 * Idea      Kokkos names the functions that a connector exports (kokkosp_...)
 *           and calls them as work begins and ends. Events (base/event.h) are
 *           given to the same functions:
 *
 *             region                 parallel_for, by the timing table's name
 *             upload, download, copy deep_copy between memory spaces
 *             values of a dat        allocate_data, deallocate_data
 *             flush, programs, plan  push_profile_region, pop_profile_region
 *
 * Several   A library of the list may load those behind it and call them itself
 *           (Kokkos's sampler does). Those that it has not loaded are called
 *           beside it.
 *
 * Limits    Devices are waited for behind each region, as Kokkos does: times
 *           are the region's own, and longer in sum than without a connector.
 *           Tuning and metadata are not told. */
#include "frontend/kokkos.h"

#include "base/arena.h"
#include "base/event.h"
#include "base/log.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { INTERFACE = 20200520 };

struct space {
  char name[64];
};

/* What connectors may export, behind kokkosp_: CALL(name, parameters). */
#define KOKKOS_CALLS(CALL)                                                     \
  CALL(init_library, (int, uint64_t, uint32_t, void *))                        \
  CALL(finalize_library, (void))                                               \
  CALL(begin_parallel_for, (const char *, uint32_t, uint64_t *))               \
  CALL(end_parallel_for, (uint64_t))                                           \
  CALL(begin_deep_copy, (struct space, const char *, const void *,             \
                         struct space, const char *, const void *, uint64_t))  \
  CALL(end_deep_copy, (void))                                                  \
  CALL(allocate_data, (struct space, const char *, const void *, uint64_t))    \
  CALL(deallocate_data, (struct space, const char *, const void *, uint64_t))  \
  CALL(push_profile_region, (const char *))                                    \
  CALL(pop_profile_region, (void))

struct connector {
  void *handle;
  uint64_t id; /* what it calls the region that runs */
#define CALL(name, parameters) void(*name) parameters;
  KOKKOS_CALLS(CALL)
#undef CALL
};

enum { DEEPEST = 32 };
static struct {
  VEC(struct connector, all);
  enum event_kind open[DEEPEST]; /* sections, outermost first */
  int nopen;
} connectors;

/* c: each connector that has the function. */
#define EACH(c, name)                                                          \
  for (struct connector *c = connectors.all;                                   \
       c != connectors.all + connectors.nall; c++)                             \
    if (c->name)

/* ---- what Kokkos calls places -------------------------------------------- */

/* Names of memory spaces; numbers of Kokkos's device types (9: none of them).
 */
static const struct {
  const char *space;
  uint32_t type;
} places[TARGET_COUNT] = {[TARGET_seq] = {"Host", 0},
                          [TARGET_openmp] = {"Host", 1},
                          [TARGET_cuda] = {"Cuda", 2},
                          [TARGET_opencl] = {"OpenCL", 9}};

static struct space
space_of(const struct event_place *p) {
  struct space s = {{0}};
  const char *name = places[p->where.kind].space;
  assert(strlen(name) < sizeof s.name);
  memcpy(s.name, name, strlen(name));
  return s;
}

/* 8 bits of type, 7 of the device's number, 17 of an instance. */
static uint32_t
device_of(const struct target *t) {
  return places[t->kind].type << 24 | ((uint32_t)t->number & 127) << 17;
}

/* ---- events -------------------------------------------------------------- */

static void
tell_loops(const struct event *e, bool begins) {
  if (begins) {
    EACH(c, begin_parallel_for)
    c->begin_parallel_for(e->name, device_of(&e->place.where), &c->id);
  } else {
    EACH(c, end_parallel_for) c->end_parallel_for(c->id);
  }
}

static void
tell_copy(const struct event *e, bool begins) {
  const char *name = e->name ? e->name : "";
  if (begins) {
    EACH(c, begin_deep_copy)
    c->begin_deep_copy(space_of(&e->place), name, e->place.at,
                       space_of(&e->from), name, e->from.at, e->bytes);
  } else {
    EACH(c, end_deep_copy) c->end_deep_copy();
  }
}

static void
tell_memory(const struct event *e, bool begins) {
  const char *name = e->name ? e->name : "";
  struct space space = space_of(&e->place);
  if (begins) {
    EACH(c, allocate_data) c->allocate_data(space, name, e->place.at, e->bytes);
  } else {
    EACH(c, deallocate_data)
    c->deallocate_data(space, name, e->place.at, e->bytes);
  }
}

static void
pop(void) {
  connectors.nopen--;
  EACH(c, pop_profile_region) c->pop_profile_region();
}

static const char *const kinds[EVENT_COUNT] = {
#define EVENT(kind, as, row, what) [EVENT_##kind] = #kind,
#include "base/events.def"
#undef EVENT
};

/* A section that failed in the middle ends with the one that it is in. */
static void
tell_section(const struct event *e, bool begins) {
  const char *name = e->name ? e->name : kinds[e->kind];
  if (!begins) {
    while (connectors.nopen && connectors.open[connectors.nopen - 1] != e->kind)
      pop();
    if (connectors.nopen) pop();
    return;
  }
  assert(connectors.nopen < DEEPEST);
  connectors.open[connectors.nopen++] = e->kind;
  EACH(c, push_profile_region) c->push_profile_region(name);
}

/* Kokkos has no words for what is over. */
static void
tell_past(const struct event *e, bool begins) {
  (void)e, (void)begins;
}

static void
tell(const struct event *e, enum event_when when) {
  static void (*const how[EVENT_COUNT])(const struct event *, bool) = {
#define EVENT(kind, as, row, what) [EVENT_##kind] = tell_##as,
#include "base/events.def"
#undef EVENT
  };
  how[e->kind](e, when == EVENT_BEGINS);
}

/* ---- libraries ----------------------------------------------------------- */

/* How many of the functions it has. */
static int
find_calls(struct connector *c) {
  int found = 0;
#define CALL(name, parameters)                                                 \
  *(void **)&c->name = dlsym(c->handle, "kokkosp_" #name);                     \
  found += c->name != NULL;
  KOKKOS_CALLS(CALL)
#undef CALL
  return found;
}

static bool
is_loaded(const char *path) {
  void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle) dlclose(handle);
  return handle != NULL;
}

static void
add(const char *path, int place) {
  struct connector c = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
  if (!c.handle) {
    LOG_WARN("KOKKOS_TOOLS_LIBS: cannot load %s: %s", path, dlerror());
  } else if (!find_calls(&c)) {
    LOG_WARN("KOKKOS_TOOLS_LIBS: %s is no connector: it has no function "
             "kokkosp_begin_parallel_for or the like",
             path);
    dlclose(c.handle);
  } else {
    VEC_PUSH(connectors.all, connectors.nall, connectors.capall, c);
    if (c.init_library) c.init_library(place, INTERFACE, 0, NULL);
  }
}

/* Those that only another one of the list has loaded are its own to call. */
void
fe_kokkos_start(const char *libraries) {
  if (!*libraries) return;
  size_t n = 0, most = strlen(libraries);
  char **paths = mem_alloc(most, sizeof *paths), *rest = NULL;
  bool *before = mem_alloc(most, sizeof *before);
  char *list = strdup(libraries);
  for (char *s = strtok_r(list, ";", &rest); s;
       s = strtok_r(NULL, ";", &rest)) {
    before[n] = is_loaded(s);
    paths[n++] = s;
  }
  for (size_t i = 0; i < n; i++)
    if (before[i] || !is_loaded(paths[i])) add(paths[i], (int)i);
  free(list);
  free(paths);
  free(before);
  if (connectors.nall) event_listen(EVENT_TOOLS, tell);
}

/* Their code stays: threads of theirs may still run. */
void
fe_kokkos_stop(void) {
  if (!connectors.nall) return;
  while (connectors.nopen) pop();
  EACH(c, finalize_library) c->finalize_library();
  free(connectors.all);
  memset(&connectors, 0, sizeof connectors);
  event_listen(EVENT_TOOLS, NULL);
}
