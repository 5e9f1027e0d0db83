/* Loops that cannot be compiled: refuse.c. */
#ifndef FRONTEND_REFUSE_H
#define FRONTEND_REFUSE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct fe_request;

/* Loops refused in one flush: what is told of them. Zero: none. */
struct fe_refusal {
  status st;
  struct str text;
};

/* Is this error of fe_program_find about one region (fe_programs.failed), and
 * will it be the same next time? */
bool fe_is_refusal(status st);
/* The program for this request was refused on some rank: leave out the first
 * loop that has no code, on all ranks. Nothing has run. The error of something
 * else, which leaves all pending. Collective. */
status fe_refuse(struct fe_request rq, struct fe_refusal *r);
/* The flush is over, with this status: tell what was refused. OK if a handler
 * was told, or there is nothing to tell. */
status fe_refusal_end(struct fe_refusal *r, status st);

#endif
