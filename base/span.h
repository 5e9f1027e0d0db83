/* What was done and when, told to whoever draws it (OP2_TRACE's timeline). Each
 * layer tells its own: runs, plans, compiled regions, flushes. Called on one
 * thread at a time. */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

enum { SPAN_TEAM = 1000 };
struct span {
  const char *kind; /* "region", "flush", ...: the row that it is drawn in */
  const char *name;
  double begin, end; /* of timer_wall */
  int thread;        /* 0: the program's; from 1 on: helpers that compile; from
                 SPAN_TEAM on: those of a region's team */
  const char *args;  /* members of a JSON object; NULL: none */
};

/* NULL: nobody listens, and nothing has to be put into words. */
extern void (*span_hook)(const struct span *e);

#endif
