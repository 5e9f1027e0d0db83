/* Trials of regions: regions.c finds them, trial.c runs them. */
#ifndef FRONTEND_TRIAL_H
#define FRONTEND_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

struct fe_program;

enum { TOGETHER, APART, WAYS };
#define FE_NO_REGION UINT32_MAX

/* A region of several loops. */
struct region {
  char *name;        /* "a+b" */
  double best[WAYS]; /* seconds */
};

struct fe_trial {
  struct region *regions;
  uint32_t n;
  uint32_t *of_record; /* [nrecs] -> region, FE_NO_REGION */
  uint32_t runs, turns;
  struct fe_program *apart; /* NULL: not yet */
};

#endif
