/* Compilations of regions: see job.c; and those that run beside the program:
 * see tiers.c. */
#ifndef LOWER_JOB_H
#define LOWER_JOB_H

#include "lower/module.h"
#include "lower/region.h"

#include <pthread.h>

/* A region that is not there yet. Zero but for `r` and `key` at first. */
struct low_job {
  const struct low_region *r;
  struct str key, object;
  bool quick; /* its code is not to be optimised, whatever the key says */
  struct low_code code;
  status result;
  char *message; /* of a failure */
  double begin, seconds;
  int thread;   /* that compiled it; 0: the program's */
  bool loaded;  /* the code is the object's, not the compiler's */
  bool bundled; /* it was found: in the program, not on disk */
};
void low_job_clear(struct low_job *j); /* but for `code` */
/* As if it had not been compiled. */
void low_job_again(struct low_job *j);

/* Threads that compile at once. */
uint32_t low_job_threads(void);
/* Start one, whose stack is large enough. */
bool low_job_start(pthread_t *out, void *(*fn)(void *), void *arg);
/* Compile one; all of them, on several threads of which this is one. */
void low_job_compile(struct low_job *j);
void low_jobs_compile(struct low_job *jobs, uint32_t n);

/* Is there what was made before for its key? _kept: on disk alone, where others
 * put something since the last look. */
bool low_job_find(struct low_job *j);
bool low_job_find_kept(struct low_job *j);
/* Keep what the loader will be able to load. */
void low_job_keep(const struct low_job *j);

/* ---- tiers.c ------------------------------------------------------------- */

/* The code of this region, which has the key, is quick: optimise it beside the
 * program, on so many threads; on 0 at low_tiers_finish, until which what it
 * says of kernels but for their code stays, and folded constants. TAKE r */
void low_tiers_add(struct low_region *r, const char *key, size_t bytes,
                   uint32_t beside);
/* fn for each region that is compiled since the last call. Whoever waits for
 * them: lower.h. */
void low_tiers_each(void (*fn)(struct low_job *j));

#endif
