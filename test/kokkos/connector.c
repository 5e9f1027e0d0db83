/* A connector of Kokkos Tools that writes down what it is told, and what is wrong
 * with that ("WRONG: ..."): ends without begins, ids and memory it does not know. The
 * declarations are Kokkos's public interface. -DFIRST=1000: its ids count from there;
 * -DCHAIN: it loads the library behind it, and passes on what begins. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef FIRST
#define FIRST 0
#endif

struct space {
  char name[64];
};
enum { MOST = 256 };
static struct {
  FILE *f;
  char open[MOST]; /* f: a loop, c: a copy, s: a section */
  int nopen, nmemory;
  uint64_t last;
  struct {
    const void *at;
    uint64_t bytes;
    char space[64], name[64];
  } memory[MOST];
} log_;

#define SAY(...) fprintf(log_.f, __VA_ARGS__)

static void
line(const char *what, const char *name) {
  SAY("%*s%s %s\n", 2 * log_.nopen, "", what, name);
}

static void
push(char kind) {
  if (log_.nopen == MOST) abort();
  log_.open[log_.nopen++] = kind;
}

static void
pop(char kind) {
  if (!log_.nopen || log_.open[log_.nopen - 1] != kind)
    SAY("WRONG: an end of '%c' without its begin\n", kind);
  else
    log_.nopen--;
}

#ifdef CHAIN
static void (*next_begin)(const char *, uint32_t, uint64_t *);
static void
load_next(int place) {
  char *list = strdup(getenv("KOKKOS_TOOLS_LIBS")), *s = strtok(list, ";");
  for (int k = 0; k <= place; k++) s = strtok(NULL, ";");
  void *next = dlopen(s, RTLD_NOW | RTLD_GLOBAL);
  void (*init)(int, uint64_t, uint32_t, void *);
  *(void **)&init = dlsym(next, "kokkosp_init_library");
  *(void **)&next_begin = dlsym(next, "kokkosp_begin_parallel_for");
  init(place + 1, 0, 0, NULL);
  free(list);
}
#else
static void
load_next(int place) {
  (void)place;
}
#endif

void
kokkosp_init_library(int place, uint64_t version, uint32_t ndevices,
                     void *devices) {
  char path[256];
  snprintf(path, sizeof path, "%s.%d.%d", getenv("TEST_OUT"), FIRST, place);
  log_.f = fopen(path, "w");
  if (!log_.f) abort();
  if (version < 20200520 && version)
    SAY("WRONG: version %" PRIu64 "\n", version);
  if (ndevices || devices) SAY("WRONG: devices\n");
  log_.last = FIRST;
  load_next(place);
}

void
kokkosp_finalize_library(void) {
  for (int k = 0; k < log_.nmemory; k++)
    SAY("WRONG: %s was not given back\n", log_.memory[k].name);
  SAY("finalize: %d open\n", log_.nopen);
  fclose(log_.f);
}

void
kokkosp_begin_parallel_for(const char *name, uint32_t device, uint64_t *id) {
  char text[256];
#ifdef CHAIN
  next_begin(name, device, id);
#endif
  snprintf(text, sizeof text, "%s on %u:%u", name, device >> 24,
           device >> 17 & 127);
  line("loops", text);
  push('f');
  *id = ++log_.last;
}

void
kokkosp_end_parallel_for(uint64_t id) {
  pop('f');
  if (id != log_.last) SAY("WRONG: the end of %" PRIu64 "\n", id);
}

void
kokkosp_begin_deep_copy(struct space to, const char *to_name, const void *to_at,
                        struct space from, const char *from_name,
                        const void *from_at, uint64_t bytes) {
  char text[256];
  if (strcmp(to_name, from_name) || !to_at || !from_at) SAY("WRONG: a copy\n");
  snprintf(text, sizeof text, "%s, %s <- %s, %" PRIu64, to_name, to.name,
           from.name, bytes);
  line("copy", text);
  push('c');
}

void
kokkosp_end_deep_copy(void) {
  pop('c');
}

void
kokkosp_allocate_data(struct space space, const char *name, const void *at,
                      uint64_t bytes) {
  char text[256];
  snprintf(text, sizeof text, "%s, %s, %" PRIu64, name, space.name, bytes);
  line("+", text);
  if (log_.nmemory == MOST) abort();
  int k = log_.nmemory++;
  log_.memory[k].at = at;
  log_.memory[k].bytes = bytes;
  strcpy(log_.memory[k].space, space.name);
  strcpy(log_.memory[k].name, name);
}

void
kokkosp_deallocate_data(struct space space, const char *name, const void *at,
                        uint64_t bytes) {
  char text[256];
  snprintf(text, sizeof text, "%s, %s, %" PRIu64, name, space.name, bytes);
  line("-", text);
  int k = 0;
  while (k < log_.nmemory &&
         (log_.memory[k].at != at || log_.memory[k].bytes != bytes ||
          strcmp(log_.memory[k].space, space.name) ||
          strcmp(log_.memory[k].name, name)))
    k++;
  if (k == log_.nmemory)
    SAY("WRONG: memory that is not known\n");
  else
    log_.memory[k] = log_.memory[--log_.nmemory];
}

void
kokkosp_push_profile_region(const char *name) {
  line("section", name);
  push('s');
}

void
kokkosp_pop_profile_region(void) {
  pop('s');
}
