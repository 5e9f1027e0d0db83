/* One rank, and the way to several: what is built in, and opening the module of
 * an MPI library.
 *
 * Which module? The launcher says, by what it puts into the environment. MPI
 * itself cannot be asked before it is started, and starting it where there is
 * no launcher costs a tenth of a second and opens sockets. That is done only
 * for a program that has MPI linked to it: it may call MPI behind op_init,
 * which starts it, as OP2's does, with a launcher or without. */
#include "rt/ranks/comm.h"

#include "base/str.h"

#include "base/arena.h"
#include "base/counters.h"
#include "base/module.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- one rank ------------------------------------------------------------ */

static void
self_close(struct rt_comm *c) {
  (void)c;
}

static status
self_allreduce(struct rt_comm *c, void *data, size_t n, struct type type,
               enum access op) {
  (void)c, (void)data, (void)n, (void)type, (void)op;
  return OK;
}

static status
self_allgather(struct rt_comm *c, const void *mine, size_t bytes, void *all) {
  (void)c;
  memcpy(all, mine, bytes);
  return OK;
}

static status
self_alltoallv(struct rt_comm *c, const void *send, const size_t *send_bytes,
               void *recv, const size_t *recv_bytes) {
  (void)c;
  assert(send_bytes[0] == recv_bytes[0]);
  if (recv_bytes[0]) memcpy(recv, send, send_bytes[0]);
  return OK;
}

static status
self_prepare(struct rt_comm *c, const struct rt_message *send, int nsend,
             const struct rt_message *recv, int nrecv, void **out) {
  (void)c, (void)send, (void)recv;
  assert(!nsend && !nrecv && "one rank has no neighbours");
  (void)nsend, (void)nrecv;
  *out = NULL;
  return OK;
}

static status
self_exchange(struct rt_comm *c, void *exchange) {
  (void)c, (void)exchange;
  return OK;
}

static void
self_release(struct rt_comm *c, void *exchange) {
  (void)c, (void)exchange;
}

static const void *
self_handle(struct rt_comm *c) {
  (void)c;
  return NULL;
}

static void
self_abort(struct rt_comm *c, int code) {
  (void)c;
  exit(code);
}

static const struct rt_comm_ops self_ops = {
    .version = OP2_VERSION,
    .name = "one rank",
    .close = self_close,
    .allreduce = self_allreduce,
    .allgather = self_allgather,
    .alltoallv = self_alltoallv,
    .prepare = self_prepare,
    .start = self_exchange,
    .finish = self_exchange,
    .release = self_release,
    .handle = self_handle,
    .abort = self_abort,
    .error = err_last,
};

/* ---- modules ------------------------------------------------------------ */

/* What a launcher leaves in the environment, and whose it is. `size`: the value
 * is the number of ranks. */
static const struct launcher {
  const char *variable, *mpi;
  bool size;
} launchers[] = {{"OMPI_COMM_WORLD_SIZE", "openmpi", true},
                 {"PMI_SIZE", "mpich", true},
                 {"PMIX_RANK", "openmpi", false}};

void
rt_module_path(const char *name, struct str *out) {
  SCOPED_STR file = STR_INIT;
  str_printf(&file, "libop2lazy-%s.so", name);
  module_path(file.s, out);
}

static status
module_load(const char *name, const struct rt_comm_ops **out) {
  SCOPED_STR file = STR_INIT, why = STR_INIT;
  str_printf(&file, "libop2lazy-%s.so", name);
  *out = module_open_global(file.s, "op2_comm_ops", &why);
  if (*out) return OK;
  FAIL(ERR_MPI,
       "the program runs on several ranks: expected the module for MPI, found: "
       "%s",
       why.s);
}

/* Status of the other side, its message copied here. */
static status
comm_status(const struct rt_comm_ops *ops, status s) {
  if (s == OK || ops == &self_ops) return s;
  return err_set(s, "%s", ops->error());
}

status
rt_comm_open_mpi(const char *name, const void *communicator,
                 struct rt_comm *out) {
  const struct rt_comm_ops *ops;
  status s = module_load(name, &ops);
  if (s != OK) return s;
  s = comm_status(ops, ops->open(communicator, out));
  if (s != OK) return s;
  out->ops = ops;
  return OK;
}

/* Symbols by which the program's own MPI library is known. */
static const struct linked {
  const char *symbol, *mpi;
} linked[] = {{"ompi_mpi_comm_world", "openmpi"},
              {"MPIR_Process", "mpich"},
              {"MPIX_Query_cuda_support", "mpich"}};

/* One rank; MPI runs behind it if the program has it linked. Where the library
 * has no module for that MPI the program starts it itself, or not at all. */
static status
open_one(struct rt_comm *out) {
  SCOPED_STR path = STR_INIT;
  const char *mpi = NULL;
  for (size_t i = 0; !mpi && i < sizeof linked / sizeof *linked; i++)
    if (dlsym(RTLD_DEFAULT, linked[i].symbol)) mpi = linked[i].mpi;
  if (!mpi || !dlsym(RTLD_DEFAULT, "MPI_Init")) return OK;
  rt_module_path(mpi, &path);
  return access(path.s, R_OK) ? OK : rt_comm_open_mpi(mpi, NULL, out);
}

bool
rt_comm_linked(void) {
  static int has; /* 0: not yet known; modules bring MPI later */
  if (!has) has = dlsym(RTLD_DEFAULT, "MPI_Init") ? 2 : 1;
  return has == 2;
}

status
rt_comm_open(struct rt_comm *out) {
  (void)rt_comm_linked();
  *out = (struct rt_comm){.ops = &self_ops, .rank = 0, .size = 1};
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
    const struct launcher *l = &launchers[i];
    const char *value = getenv(l->variable);
    if (!value) continue;
    if (l->size && atoi(value) <= 1) break;
    return err_prefix(rt_comm_open_mpi(l->mpi, NULL, out),
                      "%s=%s: ", l->variable, value);
  }
  return open_one(out);
}

void
rt_comm_close(struct rt_comm *c) {
  if (c->ops) c->ops->close(c);
  *c = (struct rt_comm){.ops = &self_ops, .rank = 0, .size = 1};
}

/* ---- talking ------------------------------------------------------------ */

status
rt_allreduce(struct rt_comm *c, void *data, size_t n, struct type type,
             enum access op) {
  return comm_status(c->ops, c->ops->allreduce(c, data, n, type, op));
}

status
rt_allgather(struct rt_comm *c, const void *mine, size_t bytes, void *all) {
  return comm_status(c->ops, c->ops->allgather(c, mine, bytes, all));
}

status
rt_alltoall_known(struct rt_comm *c, const void *send,
                  const size_t *send_counts, size_t item, void *recv,
                  const size_t *recv_counts) {
  size_t n = (size_t)c->size;
  SCOPED size_t *bytes = mem_alloc(2 * n, sizeof *bytes);
  for (size_t r = 0; r < n; r++) {
    bytes[r] = send_counts[r] * item;
    bytes[n + r] = recv_counts[r] * item;
  }
  status s = c->ops->alltoallv(c, send, bytes, recv, bytes + n);
  return comm_status(c->ops, s);
}

status
rt_alltoall(struct rt_comm *c, const void *send, const size_t *send_counts,
            size_t item, void *recv_out, size_t *recv_counts) {
  size_t n = (size_t)c->size, total = 0;
  SCOPED size_t *one = mem_alloc(n, sizeof *one);
  for (size_t r = 0; r < n; r++) one[r] = 1;
  status s = rt_alltoall_known(c, send_counts, one, sizeof *send_counts,
                               recv_counts, one);
  if (s != OK) return s;
  for (size_t r = 0; r < n; r++) total += recv_counts[r];
  void *recv = mem_alloc(total + 1, item);
  s = rt_alltoall_known(c, send, send_counts, item, recv, recv_counts);
  if (s != OK) {
    free(recv);
    return s;
  }
  *(void **)recv_out = recv;
  return OK;
}

status
rt_comm_prepare(struct rt_comm *c, const struct rt_message *send, int nsend,
                const struct rt_message *recv, int nrecv, void **out) {
  return comm_status(c->ops, c->ops->prepare(c, send, nsend, recv, nrecv, out));
}

status
rt_comm_start(struct rt_comm *c, void *exchange) {
  return comm_status(c->ops, c->ops->start(c, exchange));
}

status
rt_comm_finish(struct rt_comm *c, void *exchange) {
  return comm_status(c->ops, c->ops->finish(c, exchange));
}

void
rt_comm_release(struct rt_comm *c, void *exchange) {
  c->ops->release(c, exchange);
}

status
rt_comm_once(struct rt_comm *c, const struct rt_message *send, int nsend,
             const struct rt_message *recv, int nrecv) {
  void *exchange;
  TRY(rt_comm_prepare(c, send, nsend, recv, nrecv, &exchange));
  counters[CNT_messages] += nsend;
  status s = rt_comm_start(c, exchange);
  if (s == OK) s = rt_comm_finish(c, exchange);
  rt_comm_release(c, exchange);
  return s;
}

void
rt_comm_abort(struct rt_comm *c, int code) {
  c->ops->abort(c, code);
}
