/* What the files of the CUDA layer share: the driver's functions, a device, and
 * the commands that its stream is given. */
#ifndef RT_DEV_CUDA_H
#define RT_DEV_CUDA_H

#include "rt/device/device.h"

#include <stdbool.h>

/* By name from dev_cuda.def; those of graphs may be NULL (`graphs` false). */
extern struct cu_functions {
  void *library;
  bool graphs;
#define CU_FN(name, symbol, parameters) int(*name) parameters;
#define CU_GRAPH_FN(name, symbol, parameters) int(*name) parameters;
#include "rt/device/dev_cuda.def"
#undef CU_FN
#undef CU_GRAPH_FN
} cu;

/* A command of a stream. Its words:
 *   CU_KERNEL       groups, work items in a group, bytes of shared memory, then
 *                   the arguments, a word each
 *   CU_UP, CU_COPY  to, from, bytes; from pinned memory or the device's
 *   CU_ZERO         to, bytes
 *   CU_EVENT        the event that is recorded */
enum cu_kind { CU_KERNEL, CU_UP, CU_COPY, CU_ZERO, CU_EVENT };
enum { CU_LAUNCH_WORDS = 3, CU_ARGS_MAX = 512 /* 4096 bytes of parameters */ };
struct cu_command {
  enum cu_kind kind;
  void *function;         /* CU_KERNEL */
  uint32_t first, nwords; /* of its list's words */
};

struct cu_list {
  struct cu_command *commands;
  uint32_t n, cap;
  int64_t *words;
  uint32_t nwords, words_cap;
};

struct cu_graph;

/* A copy that is under way to `room` in the ring. */
struct cu_read {
  char *to, *room;
  size_t bytes;
};

struct cu_device {
  int device;
  bool retained;
  void *context, *stream;
  char *ring; /* pinned */
  size_t used;
  struct cu_read *reads; /* since the last wait */
  uint32_t nreads, reads_cap;
  bool batch;              /* commands are kept back */
  struct cu_list kept;     /* in order */
  struct cu_graph *graphs; /* of lists that were given before */
  uint32_t ngraphs;
  uint64_t clock; /* lists given */
  void **events;  /* that nobody has */
  uint32_t nevents, events_cap;
};

static inline struct cu_device *
cu_of(const struct rt_device *d) {
  return d->driver_data;
}

status cu_failed(const struct rt_device *d, const char *what, int code);

#define CU(d, call)                                                            \
  do {                                                                         \
    int code_ = cu.call;                                                       \
    if (code_) return cu_failed(d, #call, code_);                              \
  } while (0)

/* Give one command to the stream, at once. */
status cu_run(struct rt_device *d, const struct cu_command *c,
              const int64_t *words);

/* ---- dev_cuda_graph.c ---------------------------------------------------- */

/* Keep a command back. */
status cu_keep(struct rt_device *d, const struct cu_command *c,
               const int64_t *words);
/* What was kept back goes to the stream, one by one or as a graph. */
status cu_give(struct rt_device *d);
/* All graphs: before their functions go. */
void cu_graphs_drop(struct rt_device *d);
/* Also what the list has; the device is closed. */
void cu_graphs_close(struct rt_device *d);

#endif
