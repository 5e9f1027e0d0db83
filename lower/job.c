/* Compilations of regions, on several threads, and what was made before in
 * place of them (made.h: in the program, on disk).
 *
 * LLVM keeps all that it changes in a context, and each compilation has its
 * own. The compiler's own memory (that context, a megabyte a region) goes once
 * the object file that it made has been loaded as if it came from disk. */
#include "lower/job.h"

#include "base/arena.h"
#include "base/log.h"
#include "lower/entry.h"
#include "lower/lower.h"
#include "lower/loader.h"
#include "lower/made.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* LLVM recurses over expressions; threads may have less by default. */
enum { STACK = 16 << 20 };

struct work {
  struct low_job *jobs;
  uint32_t n;
  atomic_uint next;
  atomic_int threads; /* so far */
};

static int threads_asked; /* 0: one for each processor */

void
low_job_clear(struct low_job *j) {
  str_clear(&j->key);
  str_clear(&j->object);
  free(j->message);
}

void
low_job_again(struct low_job *j) {
  struct low_job now = {.r = j->r, .key = j->key, .object = STR_INIT};
  low_code_clear(&j->code);
  str_clear(&j->object);
  free(j->message);
  *j = now;
}

/* ---- compiling ----------------------------------------------------------- */

/* What debuggers know it as; NULL: nothing is for them. */
static const char *
job_told(const struct low_job *j) {
  return j->r->lines ? j->r->name : NULL;
}

/* Keep what the loader has brought to memory, if it can. */
static void
job_load(struct low_job *j) {
  assert(!j->loaded);
  struct low_code code;
  j->loaded = low_load_told(j->object.s, j->object.len, LOW_ENTRY, job_told(j),
                            &code) == OK;
  if (!j->loaded) {
    if (j->r->lines) low_debugger_again();
    LOG_INFO("code of %s is the compiler's: %s", j->r->name, err_last());
    return;
  }
  code.lanes = j->code.lanes;
  low_code_clear(&j->code);
  j->code = code;
}

void
low_job_compile(struct low_job *j) {
  assert(j->r->name && !j->object.len);
  struct low_region r = *j->r;
  r.quick |= j->quick;
  j->begin = timer_wall();
  j->result = low_llvm_compile(&r, &j->code, &j->object);
  if (j->result == OK) job_load(j);
  if (j->result != OK) {
    struct str text = STR_INIT;
    str_add(&text, err_last());
    j->message = text.s;
  }
  j->seconds = timer_wall() - j->begin;
}

static void *
work(void *arg) {
  struct work *w = arg;
  int thread = atomic_fetch_add(&w->threads, 1);
  for (uint32_t k; (k = atomic_fetch_add(&w->next, 1)) < w->n;) {
    w->jobs[k].thread = thread;
    low_job_compile(&w->jobs[k]);
  }
  return NULL;
}

void
low_set_threads(int threads) {
  threads_asked = threads;
}

uint32_t
low_job_threads(void) {
  cpu_set_t set;
  if (threads_asked > 0) return (uint32_t)threads_asked;
  if (sched_getaffinity(0, sizeof set, &set)) return 1;
  return (uint32_t)CPU_COUNT(&set);
}

bool
low_job_start(pthread_t *out, void *(*fn)(void *), void *arg) {
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, STACK);
  bool started = !pthread_create(out, &attr, fn, arg);
  pthread_attr_destroy(&attr);
  return started;
}

void
low_jobs_compile(struct low_job *jobs, uint32_t n) {
  assert(n > 0);
  struct work w = {.jobs = jobs, .n = n};
  uint32_t most = low_job_threads() < n ? low_job_threads() : n, started = 0;
  SCOPED pthread_t *threads = mem_alloc(n, sizeof *threads);
  while (started + 1 < most && low_job_start(&threads[started], work, &w))
    started++;
  work(&w);
  for (uint32_t k = 0; k < started; k++) pthread_join(threads[k], NULL);
}

/* ---- made before --------------------------------------------------------- */

/* An entry: what is known of the code, then the object file. */
struct head {
  uint32_t lanes;
  uint32_t zero[3]; /* the object stays aligned */
};

static status
entry_load(const struct low_entry *e, const char *told, struct low_code *out) {
  assert(e->bytes);
  struct head head;
  if (e->n < sizeof head) FAIL(ERR_COMPILE, "it is too short");
  memcpy(&head, e->bytes, sizeof head);
  TRY(low_load_told(e->bytes + sizeof head, e->n - sizeof head, LOW_ENTRY, told,
                    out));
  out->lanes = head.lanes;
  return OK;
}

static struct low_made
job_made(const struct low_job *j) {
  return (struct low_made){"region", j->r->name, &j->key, ""};
}

/* Load what was found, and clear it. */
static bool
job_use(struct low_job *j, struct low_entry *e) {
  j->bundled = !e->file;
  status s = entry_load(e, job_told(j), &j->code);
  low_entry_clear(e);
  if (s != OK)
    LOG_WARN("cached code of %s cannot be used: %s; it is made anew",
             j->r->name, err_last());
  return s == OK;
}

bool
low_job_find(struct low_job *j) {
  struct low_made m = job_made(j);
  struct low_entry e;
  return low_made_find(&m, &e) && job_use(j, &e);
}

bool
low_job_find_kept(struct low_job *j) {
  struct low_made m = job_made(j);
  struct low_entry e;
  return low_made_find_kept(&m, &e) && job_use(j, &e);
}

void
low_job_keep(const struct low_job *j) {
  if (!j->loaded || j->quick) return;
  struct low_made m = job_made(j);
  struct head head = {.lanes = j->code.lanes};
  SCOPED_STR bytes = STR_INIT;
  str_addn(&bytes, (const char *)&head, sizeof head);
  str_addn(&bytes, j->object.s, j->object.len);
  low_made_keep(&m, bytes.s, bytes.len);
}
