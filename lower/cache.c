/* Compiled regions of this process, by their whole key; behind them what was
 * made before (made.h: in the program, on disk), behind that the compiler.
 *
 * The key (region_key.c) holds all that code depends on but the machine, which
 * doesn't change while we run. Set sizes and addresses are no part of it, so
 * that loops over different sets share code.
 *
 * Bound: low_sweep_end drops the code that no program uses (it is on disk), and
 * the names of their launches.
 *
 * The compiler's own memory (LLVM's context, a megabyte a region) goes once the
 * object file that it made has been loaded as if it came from disk.
 *
 * The regions of a program are looked up together, so that those that are
 * missing are compiled on several threads: LLVM keeps all that it changes in a
 * context, and each compilation has its own. */
#include "base/arena.h"
#include "base/counters.h"
#include "base/event.h"
#include "base/kept.h"
#include "base/log.h"
#include "lower/device.h"
#include "lower/disk.h"
#include "lower/loader.h"
#include "lower/region.h"
#include "rt/device/code.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A compilation longer than this is worth a line in the log. */
#define LOW_SLOW_SECONDS 0.2
/* LLVM recurses over expressions; threads may have less by default. */
enum { LOW_STACK = 16 << 20 };

struct low_cached {
  struct kept kept; /* first */
  struct low_code code;
};

static struct {
  struct keeper codes; /* region key -> struct low_cached */
  struct table by_fn;  /* the same by the code's function */
  struct keeper names; /* texts, which outlive the region's description */
  int threads;         /* that compile; 0: one for each processor */
} low_cache;

/* A region that is not there yet. */
struct low_job {
  const struct low_region *r;
  struct str key, object;
  struct low_code code;
  status result;
  char *message; /* of a failure */
  double begin, seconds;
  int thread;  /* that compiled it; 0: the program's */
  bool loaded; /* the code is the object's, not the compiler's */
};

struct low_work {
  struct low_job *jobs;
  uint32_t n;
  atomic_uint next;
  atomic_int threads; /* so far */
};

double low_compile_seconds;

/* ---- compiling ----------------------------------------------------------- */

/* What debuggers know it as; NULL: nothing is for them. */
static const char *
low_job_told(const struct low_job *j) {
  return j->r->lines ? j->r->name : NULL;
}

/* Keep what the loader has brought to memory, if it can. */
static void
low_job_load(struct low_job *j) {
  assert(!j->loaded);
  struct low_code code;
  j->loaded = low_load_told(j->object.s, j->object.len, LOW_ENTRY,
                            low_job_told(j), &code) == OK;
  if (!j->loaded) {
    if (j->r->lines) low_debugger_again();
    LOG_INFO("code of %s is the compiler's: %s", j->r->name, err_last());
    return;
  }
  code.lanes = j->code.lanes;
  low_code_clear(&j->code);
  j->code = code;
}

static void
low_job_compile(struct low_job *j) {
  assert(j->r->name && !j->object.len);
  j->begin = timer_wall();
  j->result = low_llvm_compile(j->r, &j->code, &j->object);
  if (j->result == OK) low_job_load(j);
  if (j->result != OK) {
    struct str text = STR_INIT;
    str_add(&text, err_last());
    j->message = text.s;
  }
  j->seconds = timer_wall() - j->begin;
}

static void *
low_worker(void *arg) {
  struct low_work *w = arg;
  int thread = atomic_fetch_add(&w->threads, 1);
  for (uint32_t k; (k = atomic_fetch_add(&w->next, 1)) < w->n;) {
    w->jobs[k].thread = thread;
    low_job_compile(&w->jobs[k]);
  }
  return NULL;
}

static uint32_t
low_processors(void) {
  cpu_set_t set;
  if (low_cache.threads > 0) return (uint32_t)low_cache.threads;
  if (sched_getaffinity(0, sizeof set, &set)) return 1;
  return (uint32_t)CPU_COUNT(&set);
}

/* Compile all jobs; this thread takes part. */
static void
low_compile_all(struct low_job *jobs, uint32_t n) {
  assert(n > 0);
  struct low_work w = {.jobs = jobs, .n = n};
  uint32_t helpers = low_processors() < n ? low_processors() : n, started = 0;
  SCOPED pthread_t *threads = mem_alloc(n, sizeof *threads);
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, LOW_STACK);
  while (started + 1 < helpers &&
         !pthread_create(&threads[started], &attr, low_worker, &w))
    started++;
  pthread_attr_destroy(&attr);
  low_worker(&w);
  for (uint32_t k = 0; k < started; k++) pthread_join(threads[k], NULL);
}

/* ---- made before --------------------------------------------------------- */

/* An entry: what is known of the code, then the object file. */
struct low_code_head {
  uint32_t lanes;
  uint32_t zero[3]; /* the object stays aligned */
};

static status
low_entry_load(const struct low_entry *e, const char *told,
               struct low_code *out) {
  assert(e->bytes);
  struct low_code_head head;
  if (e->n < sizeof head) FAIL(ERR_COMPILE, "it is too short");
  memcpy(&head, e->bytes, sizeof head);
  TRY(low_load_told(e->bytes + sizeof head, e->n - sizeof head, LOW_ENTRY, told,
                    out));
  out->lanes = head.lanes;
  return OK;
}

static bool
low_job_find(struct low_job *j) {
  struct low_made m = {"region", j->r->name, &j->key, ""};
  struct low_entry e;
  if (!low_made_find(&m, &e)) return false;
  bool bundled = !e.file;
  status s = low_entry_load(&e, low_job_told(j), &j->code);
  low_entry_clear(&e);
  if (s != OK)
    LOG_WARN("cached code of %s cannot be used: %s; it is made anew",
             j->r->name, err_last());
  else
    counters[bundled ? CNT_bundle_loads : CNT_cache_loads]++;
  return s == OK;
}

/* Keep what the loader will be able to load. */
static void
low_job_keep(struct low_job *j) {
  if (!j->loaded) return;
  struct low_made m = {"region", j->r->name, &j->key, ""};
  struct low_code_head head = {.lanes = j->code.lanes};
  SCOPED_STR bytes = STR_INIT;
  str_addn(&bytes, (const char *)&head, sizeof head);
  str_addn(&bytes, j->object.s, j->object.len);
  low_made_keep(&m, bytes.s, bytes.len);
}

/* ---- look-up ------------------------------------------------------------- */

static void
low_code_add(struct low_job *j) {
  assert(j->code.fn && j->code.lanes > 0 && j->key.len);
  struct low_cached *c = mem_alloc(1, sizeof *c);
  c->code = j->code;
  kept_add(&low_cache.codes, &c->kept, j->key.s, j->key.len);
  *table_slot(&low_cache.by_fn, &c->code.fn, sizeof c->code.fn) = (uintptr_t)c;
}

static void
low_cached_clear(struct kept *e) {
  struct low_cached *c = (struct low_cached *)e;
  table_remove(&low_cache.by_fn, &c->code.fn, sizeof c->code.fn);
  low_code_clear(&c->code);
}

static void
low_job_clear(struct low_job *j) {
  str_clear(&j->key);
  str_clear(&j->object);
  free(j->message);
}

/* Is the code known in this process, or an equal region among the jobs? Equal
 * regions become one job before the disk is looked at, where another process
 * may put the code between two looks. */
static bool
low_job_known(const struct low_job *jobs, uint32_t n, const struct low_job *j) {
  if (kept_find(&low_cache.codes, j->key.s, j->key.len)) return true;
  for (uint32_t k = 0; k < n; k++)
    if (str_same(&jobs[k].key, &j->key)) return true;
  return false;
}

static void
low_job_tell(const struct low_job *j) {
  struct event e = {.kind = EVENT_code,
                    .thread = j->thread,
                    .name = j->r->name,
                    .begin = j->begin,
                    .end = j->begin + j->seconds};
  if (event_listening) event_tell(&e, EVENT_OVER);
}

static void
low_job_done(struct low_job *j) {
  low_job_tell(j);
  low_code_add(j);
  low_job_keep(j);
  counters[CNT_compiles]++;
  rt_timer_before(rt_timer_get(j->r->name), RT_BEFORE_COMPILE, j->seconds, 0,
                  1);
  if (j->seconds > LOW_SLOW_SECONDS)
    LOG_WARN("compiling %s took %.2f s", j->r->name, j->seconds);
  else
    LOG_DEBUG("compiling %s took %.3f s", j->r->name, j->seconds);
}

/* The first failure, in the order of the program, is the one that is told;
 * *failed_out: whose. */
static status
low_jobs_done(struct low_job *jobs, uint32_t n, uint32_t *failed_out) {
  status s = OK;
  for (uint32_t k = 0; k < n; k++) {
    if (jobs[k].result == OK) {
      low_job_done(&jobs[k]);
    } else if (s == OK) {
      const struct low_call *c = &jobs[k].r->calls[0];
      s = err_set(jobs[k].result, "%s:%d: loop %s: %s", c->file, c->line,
                  jobs[k].r->name, jobs[k].message);
      *failed_out = jobs[k].r->tag;
    }
  }
  return s;
}

/* Those that were made before go behind the others; the number of the others.
 * */
static uint32_t
low_jobs_left(struct low_job *jobs, uint32_t n) {
  uint32_t left = 0;
  for (uint32_t k = 0; k < n; k++) {
    struct low_job j = jobs[k];
    if (low_job_find(&j)) {
      low_code_add(&j);
      jobs[k] = j;
      continue;
    }
    jobs[k] = jobs[left];
    jobs[left++] = j;
  }
  return left;
}

static status
low_make_all(struct low_job *jobs, uint32_t n, uint32_t *failed_out) {
  double begin = timer_wall();
  if (low_disk_turn_begin()) n = low_jobs_left(jobs, n);
  event_section(EVENT_compile, true);
  if (n) low_compile_all(jobs, n);
  event_section(EVENT_compile, false);
  low_compile_seconds += timer_wall() - begin;
  status s = low_jobs_done(jobs, n, failed_out);
  low_disk_turn_end();
  return s;
}

status
low_cache_need(const struct low_region *regions, uint32_t n,
               uint32_t *failed_out) {
  SCOPED struct low_job *jobs = mem_alloc(n, sizeof *jobs);
  uint32_t njobs = 0;
  for (uint32_t k = 0; k < n; k++) {
    struct low_job j = {&regions[k], STR_INIT, STR_INIT, {0}, OK,
                        NULL,        0,        0,        0,   false};
    low_region_key(j.r, &j.key);
    if (low_job_known(jobs, njobs, &j))
      low_job_clear(&j);
    else
      jobs[njobs++] = j;
  }
  uint32_t missing = low_jobs_left(jobs, njobs);
  status s = missing ? low_make_all(jobs, missing, failed_out) : OK;
  for (uint32_t k = 0; k < njobs; k++) low_job_clear(&jobs[k]);
  return s;
}

const struct low_code *
low_cache_get(const struct low_region *r) {
  SCOPED_STR key = STR_INIT;
  low_region_key(r, &key);
  const struct low_cached *c = kept_find(&low_cache.codes, key.s, key.len);
  assert(c);
  return &c->code;
}

const char *
low_cache_name(const char *name) {
  assert(name);
  struct kept *n = kept_find(&low_cache.names, name, strlen(name) + 1);
  if (!n) {
    n = mem_alloc(1, sizeof *n);
    kept_add(&low_cache.names, n, name, strlen(name) + 1);
  }
  return n->key;
}

void
low_set_threads(int threads) {
  low_cache.threads = threads;
}

/* ---- what is out of use -------------------------------------------------- */

void
low_sweep_keep(const struct low_program *p) {
  assert(p->program);
  for (uint32_t i = 0; i < p->program->nlaunches; i++) {
    const struct rt_launch *l = &p->program->launches[i];
    struct kept *name =
        kept_find(&low_cache.names, l->name, strlen(l->name) + 1);
    assert(name);
    name->used = true;
    if (l->offload) {
      l->offload->code->kept.used = true;
      continue;
    }
    uintptr_t at = table_get(&low_cache.by_fn, &l->fn, sizeof l->fn, 0);
    assert(at);
    ((struct low_cached *)at)->kept.used = true;
  }
}

void
low_sweep_end(void) {
  kept_sweep(&low_cache.codes, low_cached_clear);
  kept_sweep(&low_cache.names, NULL);
  low_device_sweep();
}

void
low_clear(void) {
  kept_clear(&low_cache.codes, low_cached_clear);
  kept_clear(&low_cache.names, NULL);
  table_clear(&low_cache.by_fn);
  low_compile_seconds = 0;
}
