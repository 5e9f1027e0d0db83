/* Ranks: who takes part, and the few ways in which they talk.
 *
 * A table of functions, as drivers of devices are. One implementation is built
 * in: a single rank, which talks to nobody. The other is a shared object of its
 * own (rt/mpi/), one per MPI library, opened when the program runs under mpirun
 * or hands a communicator over; so a program need not be linked anew.
 *
 * All functions but abort and release are collective: every rank calls them in
 * one order.
 * The two sides have their own copies of base/; messages are passed on.
 */
#ifndef RT_COMM_H
#define RT_COMM_H

#include "base/err.h"
#include "base/types.h"

#include <stdbool.h>
#include <stddef.h>

/* Memory that goes to, or comes from, a rank. */
struct rt_message {
  int peer;
  void *data;
  size_t bytes;
};

struct str;
struct rt_comm;
struct rt_comm_ops {
  const char *version; /* of the library that it was built with */
  const char *name;    /* "openmpi": its file is libop2lazy-openmpi.so */
  /* Start MPI if nobody has. `communicator`: an MPI_Comm *, KEEP; NULL: all
   * ranks. ERR_MPI */
  status (*open)(const void *communicator, struct rt_comm *out);
  void (*close)(struct rt_comm *c);
  /* data[i] = data of rank 0 (op) data of rank 1 (op) ...[i]; the same bits on
   * every rank. */
  status (*allreduce)(struct rt_comm *c, void *data, size_t n, struct type type,
                      enum access op);
  /* all[r] = mine of rank r, `bytes` each. */
  status (*allgather)(struct rt_comm *c, const void *mine, size_t bytes,
                      void *all);
  /* send: bytes for rank 0, then for rank 1, ...; recv likewise. */
  status (*alltoallv)(struct rt_comm *c, const void *send,
                      const size_t *send_bytes, void *recv,
                      const size_t *recv_bytes);
  /* An exchange with neighbours, which may run often: those messages, whose
   * memory is KEEP until release. One is under way at a time. */
  status (*prepare)(struct rt_comm *c, const struct rt_message *send, int nsend,
                    const struct rt_message *recv, int nrecv, void **out);
  status (*start)(struct rt_comm *c, void *exchange);
  status (*finish)(struct rt_comm *c, void *exchange);
  void (*release)(struct rt_comm *c, void *exchange); /* TAKE; local */
  /* Its MPI_Comm *, for libraries that talk by themselves. */
  const void *(*handle)(struct rt_comm *c);
  /* End all ranks. */
  void (*abort)(struct rt_comm *c, int code);
  const char *(*error)(void); /* last message of its copy of base/ */
};

struct rt_comm {
  const struct rt_comm_ops *ops;
  int rank, size;
  void *own; /* the implementation's */
  bool naps; /* sleep between looks for messages; the same on all ranks */
};

/* The ranks of this program: those that mpirun started, as the environment
 * says, or one. ERR_MPI names what was looked for. */
status rt_comm_open(struct rt_comm *out);
/* Has the program an MPI library of its own? As it was before the first of
 * these. */
bool rt_comm_linked(void);
/* Those of `communicator`, an MPI_Comm of the MPI library `name`. */
status rt_comm_open_mpi(const char *name, const void *communicator,
                        struct rt_comm *out);
void rt_comm_close(struct rt_comm *c);
/* Where the library's module `name` lies: beside it, or where the loader looks.
 * */
void rt_module_path(const char *name, struct str *out);

status rt_allreduce(struct rt_comm *c, void *data, size_t n, struct type type,
                    enum access op);
status rt_allgather(struct rt_comm *c, const void *mine, size_t bytes,
                    void *all);
/* The counts of the others become known, then all bytes go. `recv` is GIVE,
 * recv_counts has room for c->size; counts are in items of `item` bytes. */
status rt_alltoall(struct rt_comm *c, const void *send,
                   const size_t *send_counts, size_t item, void *recv_out,
                   size_t *recv_counts);
/* The same where all know the counts; the caller's memory. */
status rt_alltoall_known(struct rt_comm *c, const void *send,
                         const size_t *send_counts, size_t item, void *recv,
                         const size_t *recv_counts);
status rt_comm_prepare(struct rt_comm *c, const struct rt_message *send,
                       int nsend, const struct rt_message *recv, int nrecv,
                       void **out);
status rt_comm_start(struct rt_comm *c, void *exchange);
status rt_comm_finish(struct rt_comm *c, void *exchange);
void rt_comm_release(struct rt_comm *c, void *exchange);
/* All of that, once. */
status rt_comm_once(struct rt_comm *c, const struct rt_message *send, int nsend,
                    const struct rt_message *recv, int nrecv);
void rt_comm_abort(struct rt_comm *c, int code);
/* measure.c: seconds that an exchange of a few bytes takes (NULL: nobody asks),
 * and bytes per second of long ones; the same on every rank. Collective. */
status rt_comm_measure(struct rt_comm *c, double *latency, double *bandwidth);
/* halo_speed.c: seconds of an exchange of one element of a dat; likewise. */
status rt_halo_measure(struct rt_comm *c, double *each);

#endif
