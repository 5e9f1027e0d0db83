/* Compiled regions of this process, by their whole key; behind them what was
 * made before and the compiler (job.c).
 *
 * The key (region_key.c) holds all that code depends on but the machine, which
 * doesn't change while we run. Set sizes and addresses are no part of it, so
 * that loops over different sets share code.
 *
 * Bound: low_sweep_end drops the code that no program uses (it is on disk), and
 * the names of their launches.
 *
 * The regions of a program are looked up together, so that those that are
 * missing are compiled on several threads. What stands under a key may be quick
 * code at first, which is replaced between two flushes (tiers.c): programs take
 * what there is before they run, and what none of them can run any more goes
 * with the next sweep. */
#include "base/arena.h"
#include "base/counters.h"
#include "base/event.h"
#include "base/kept.h"
#include "base/log.h"
#include "lower/device.h"
#include "lower/disk.h"
#include "lower/job.h"
#include "lower/lower.h"
#include "rt/device/code.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A compilation longer than this is worth a line in the log. */
#define LOW_SLOW_SECONDS 0.2

struct low_cached {
  struct kept kept; /* first */
  struct low_code code;
  struct low_code was; /* what some launch may still run; fn NULL: none */
  bool quick;          /* the code is, for now */
  bool asked;          /* and better one is under way */
};

static struct {
  struct keeper codes; /* region key -> struct low_cached */
  struct table by_fn;  /* the same by the code's function */
  struct keeper names; /* texts, which outlive the region's description */
} low_cache;

double low_compile_seconds;
uint32_t low_quick_regions, low_better_number;

/* ---- look-up ------------------------------------------------------------- */

static void
low_fn_add(struct low_cached *c) {
  *table_slot(&low_cache.by_fn, &c->code.fn, sizeof c->code.fn) = (uintptr_t)c;
}

static void
low_code_forget(struct low_code *code) {
  if (code->fn) table_remove(&low_cache.by_fn, &code->fn, sizeof code->fn);
  low_code_clear(code);
}

static void
low_code_add(struct low_job *j) {
  assert(j->code.fn && j->code.lanes > 0 && j->key.len);
  struct low_cached *c = mem_alloc(1, sizeof *c);
  c->code = j->code;
  c->quick = j->quick;
  low_quick_regions += c->quick;
  kept_add(&low_cache.codes, &c->kept, j->key.s, j->key.len);
  low_fn_add(c);
}

static void
low_cached_clear(struct kept *e) {
  struct low_cached *c = (struct low_cached *)e;
  low_quick_regions -= c->quick;
  low_code_forget(&c->code);
  low_code_forget(&c->was);
}

static struct low_cached *
low_cached_find(const struct low_job *j) {
  return kept_find(&low_cache.codes, j->key.s, j->key.len);
}

/* Is the code known in this process, or an equal region among the jobs? Equal
 * regions become one job before the disk is looked at, where another process
 * may put the code between two looks. */
static bool
low_job_known(const struct low_job *jobs, uint32_t n, const struct low_job *j) {
  if (low_cached_find(j)) return true;
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
low_job_say(const struct low_job *j) {
  const char *what = j->quick ? ", not optimised yet," : "";
  if (j->seconds > LOW_SLOW_SECONDS)
    LOG_WARN("compiling %s%s took %.2f s", j->r->name, what, j->seconds);
  else
    LOG_DEBUG("compiling %s%s took %.3f s", j->r->name, what, j->seconds);
}

static void
low_job_done(struct low_job *j) {
  low_job_tell(j);
  low_code_add(j);
  low_job_keep(j);
  counters[CNT_compiles]++;
  rt_timer_before(rt_timer_get(j->r->name), RT_BEFORE_COMPILE, j->seconds, 0,
                  1);
  low_job_say(j);
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
low_jobs_left(struct low_job *jobs, uint32_t n,
              bool (*find)(struct low_job *)) {
  uint32_t left = 0;
  for (uint32_t k = 0; k < n; k++) {
    struct low_job j = jobs[k];
    if (find(&j)) {
      low_code_add(&j);
      counters[j.bundled ? CNT_bundle_loads : CNT_cache_loads]++;
      jobs[k] = j;
      continue;
    }
    jobs[k] = jobs[left];
    jobs[left++] = j;
  }
  return left;
}

static void
low_compile_all(struct low_job *jobs, uint32_t n) {
  double begin = timer_wall();
  event_section(EVENT_compile, true);
  low_jobs_compile(jobs, n);
  event_section(EVENT_compile, false);
  low_compile_seconds += timer_wall() - begin;
}

/* Is there quick code of all? If not the optimiser is to say why. */
static bool
low_make_quick(struct low_job *jobs, uint32_t n) {
  bool all = true;
  for (uint32_t k = 0; k < n; k++) jobs[k].quick = true;
  low_compile_all(jobs, n);
  for (uint32_t k = 0; k < n; k++) all &= jobs[k].result == OK;
  for (uint32_t k = 0; k < n && !all; k++) low_job_again(&jobs[k]);
  return all;
}

static status
low_make_all(struct low_job *jobs, uint32_t n, uint32_t *failed_out) {
  double begin = timer_wall();
  struct low_turn turn = low_disk_turn_begin();
  low_compile_seconds += timer_wall() - begin;
  if (turn.waited) n = low_jobs_left(jobs, n, low_job_find_kept);
  if (n) low_compile_all(jobs, n);
  status s = low_jobs_done(jobs, n, failed_out);
  low_disk_turn_end(turn);
  return s;
}

/* ---- quick code is replaced ---------------------------------------------- */

/* A region that does not compile runs as it is: its loops have run. */
static void
low_better_add(struct low_job *j) {
  struct low_cached *c = low_cached_find(j);
  if (j->seconds > 0) low_job_tell(j);
  if (j->result != OK)
    LOG_WARN("%s stays as it is, not optimised: %s", j->r->name, j->message);
  if (!c || !c->quick) return; /* swept */
  c->quick = false;
  low_quick_regions--;
  if (j->result != OK) return;
  c->was = c->code;
  c->code = j->code;
  j->code = (struct low_code){0};
  low_fn_add(c);
  low_better_number++;
  counters[CNT_tiers]++;
  LOG_DEBUG("%s is optimised: that took %.3f s beside the program", j->r->name,
            j->seconds);
}

void
low_better_take(void) {
  low_tiers_each(low_better_add);
}

/* ---- what regions need --------------------------------------------------- */

/* Is it known, but for code that is optimised? */
static bool
low_known_quick(const struct low_job *j) {
  const struct low_cached *c = low_cached_find(j);
  return c && c->quick;
}

status
low_cache_need(const struct low_region *regions, uint32_t n, bool quick,
               uint32_t *failed_out) {
  SCOPED struct low_job *jobs = mem_alloc(n, sizeof *jobs);
  uint32_t njobs = 0;
  bool waits = false;
  for (uint32_t k = 0; k < n; k++) {
    struct low_job j = {.r = &regions[k], .key = STR_INIT, .object = STR_INIT};
    low_region_key(j.r, &j.key);
    waits |= !quick && low_known_quick(&j);
    if (low_job_known(jobs, njobs, &j))
      low_job_clear(&j);
    else
      jobs[njobs++] = j;
  }
  if (waits) {
    low_tiers_finish();
    low_better_take();
  }
  uint32_t n_left = low_jobs_left(jobs, njobs, low_job_find);
  status s = OK;
  if (n_left && quick && low_make_quick(jobs, n_left))
    s = low_jobs_done(jobs, n_left, failed_out);
  else if (n_left)
    s = low_make_all(jobs, n_left, failed_out);
  for (uint32_t k = 0; k < njobs; k++) low_job_clear(&jobs[k]);
  return s;
}

const struct low_code *
low_cache_get(struct low_region *r, uint32_t beside) {
  SCOPED_STR key = STR_INIT;
  low_region_key(r, &key);
  struct low_cached *c = kept_find(&low_cache.codes, key.s, key.len);
  assert(c);
  if (c->quick && !c->asked) low_tiers_add(r, key.s, key.len, beside);
  c->asked = true;
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

/* ---- programs that run what was replaced --------------------------------- */

void
low_better_renew(struct low_program *p) {
  for (uint32_t i = 0; i < p->program->nlaunches; i++) {
    const struct rt_launch *l = &p->program->launches[i];
    if (l->offload) continue;
    uintptr_t at = table_get(&low_cache.by_fn, &l->fn, sizeof l->fn, 0);
    assert(at);
    const struct low_code *code = &((const struct low_cached *)at)->code;
    if (code->fn != l->fn)
      rt_launch_renew(p->program, i, code->fn, code->lanes);
  }
  p->better = low_better_number;
}

/* ---- what is out of use -------------------------------------------------- */

void
low_sweep_keep(struct low_program *p) {
  assert(p->program);
  low_better_renew(p); /* first: its launches may get other teams */
  rt_exec_keep(p->program);
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
  for (uint32_t k = 0; k < low_cache.codes.n; k++)
    low_code_forget(&((struct low_cached *)low_cache.codes.all[k])->was);
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
