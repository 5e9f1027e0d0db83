/* Ranks through MPI: the only file that calls it. Built once for each MPI
 * library (OP2_MPI_NAME), into a shared object that rt/ranks/comm.c opens.
 *
 * MPI is started here if the program has not started it. Whoever has: after
 * op_exit it is ended when the process ends, if the program has not done so;
 * OP2's op_exit ends it. Not sooner: op_init may follow op_exit, MPI_Init may
 * not follow MPI_Finalize. The library talks over a duplicate of the
 * communicator, so that no message of the program is taken for one of its own.
 *
 * Reductions: our own operation over bytes, declared not to commute, so that
 * ranks are combined in their order and every rank gets the same bits; with
 * MPI's own operations minima of signed zeros and sums might differ. The least
 * and the most of whole numbers are the same in whatever order: these are left
 * to MPI, which is faster then (ranks agree by one before each flush).
 *
 * Waiting: MPI libraries look for messages again and again until they are
 * there. That is quickest where each rank has processors of its own. With more
 * ranks than processors the one that is waited for doesn't run because others
 * look; offering the processor at each look (sched_yield) helps among ranks,
 * but newer Linux kernels put a process that yields behind all others for
 * longer with each time. Where ranks nap (rt_comm.naps) they look a few times,
 * then sleep between looks. On two cores beside one busy process the tests on
 * ranks (2 to 7) took 435 s without, 92 s with naps; one program alone on 4
 * ranks took 0.9 s with, 0.45 without. */
#include "base/arena.h"
#include "rt/ranks/comm.h"

#include <assert.h>
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG = 7, CHUNK = 1 << 30 };
enum { LOOKS = 100, NAP_NS = 10000, LONGEST_NS = 100000 };

struct impl {
  MPI_Comm comm;
};

static bool ends; /* MPI ends with the process */

static status
check(int code, const char *call) {
  char text[MPI_MAX_ERROR_STRING];
  int len = 0;
  if (code == MPI_SUCCESS) return OK;
  MPI_Error_string(code, text, &len);
  FAIL(ERR_MPI, "%s: %.*s", call, len, text);
}
#define MPI(call) TRY(check((call), #call))

static void
end_mpi(void) {
  int ended = 0;
  MPI_Finalized(&ended);
  if (!ended) MPI_Finalize();
}

static status
start_mpi(void) {
  int up = 0, ended = 0, level;
  MPI(MPI_Initialized(&up));
  MPI(MPI_Finalized(&ended));
  if (ended) FAIL(ERR_MPI, "MPI was ended before%s", " op_init");
  if (up) return OK;
  MPI(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level));
  if (!ends) atexit(end_mpi);
  ends = true;
  return OK;
}

static status
mpi_open(const void *communicator, struct rt_comm *out) {
  TRY(start_mpi());
  MPI_Comm from =
      communicator ? *(const MPI_Comm *)communicator : MPI_COMM_WORLD;
  struct impl *m = mem_alloc(1, sizeof *m);
  status s = check(MPI_Comm_dup(from, &m->comm), "MPI_Comm_dup");
  if (s != OK) {
    free(m);
    return s;
  }
  MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(m->comm, &out->rank);
  MPI_Comm_size(m->comm, &out->size);
  out->own = m;
  return OK;
}

static void
mpi_close(struct rt_comm *c) {
  struct impl *m = c->own;
  int ended = 0;
  MPI_Finalized(&ended);
  if (!ended) MPI_Comm_free(&m->comm);
  if (!ends) atexit(end_mpi);
  ends = true;
  free(m);
  c->own = NULL;
}

/* ---- waiting ------------------------------------------------------------ */

static status
wait_all(struct rt_comm *c, int n, MPI_Request *requests) {
  struct timespec nap = {0, NAP_NS};
  if (!c->naps) {
    MPI(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
    return OK;
  }
  for (int looks = 1, done;; looks++) {
    MPI(MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE));
    if (done) return OK;
    if (looks < LOOKS) continue;
    nanosleep(&nap, NULL);
    if (nap.tv_nsec < LONGEST_NS) nap.tv_nsec *= 2;
  }
}

/* ---- reductions --------------------------------------------------------- */

/* Of the reduction under way; one thread talks. */
static struct {
  struct type type;
  enum access access;
} current;

/* inout = in (op) inout, `in` being of the lower ranks. */
static void
combine(void *in, void *inout, int *len, MPI_Datatype *type) {
  size_t bytes = (size_t)*len * current.type.size;
  (void)type;
  SCOPED char *result = mem_alloc(bytes + 1, 1);
  memcpy(result, in, bytes);
  type_combine(current.type, current.access, result, inout, (size_t)*len);
  memcpy(inout, result, bytes);
}

/* MPI's own type, if the operation gives the same in any order. */
static MPI_Datatype
own_type(struct type t, enum access op) {
  if (op != ACC_MIN && op != ACC_MAX) return MPI_DATATYPE_NULL;
  switch (t.kind) {
  case TYPE_I32: return MPI_INT32_T;
  case TYPE_U32: return MPI_UINT32_T;
  case TYPE_I64: return MPI_INT64_T;
  case TYPE_U64: return MPI_UINT64_T;
  default: return MPI_DATATYPE_NULL;
  }
}

static status
reduce(struct rt_comm *c, void *data, size_t n, MPI_Datatype item, MPI_Op op) {
  struct impl *m = c->own;
  MPI_Request r;
  if (!c->naps) {
    MPI(MPI_Allreduce(MPI_IN_PLACE, data, (int)n, item, op, m->comm));
    return OK;
  }
  MPI(MPI_Iallreduce(MPI_IN_PLACE, data, (int)n, item, op, m->comm, &r));
  return wait_all(c, 1, &r);
}

static status
mpi_allreduce(struct rt_comm *c, void *data, size_t n, struct type type,
              enum access op) {
  MPI_Datatype item, own = own_type(type, op);
  MPI_Op mpi_op;
  assert(n <= INT_MAX);
  if (own != MPI_DATATYPE_NULL)
    return reduce(c, data, n, own, op == ACC_MIN ? MPI_MIN : MPI_MAX);
  current.type = type;
  current.access = op;
  MPI(MPI_Type_contiguous((int)type.size, MPI_BYTE, &item));
  MPI(MPI_Type_commit(&item));
  MPI(MPI_Op_create(combine, 0, &mpi_op));
  status s = reduce(c, data, n, item, mpi_op);
  MPI_Op_free(&mpi_op);
  MPI_Type_free(&item);
  return s;
}

static status
mpi_allgather(struct rt_comm *c, const void *mine, size_t bytes, void *all) {
  struct impl *m = c->own;
  MPI_Request r;
  assert(bytes <= INT_MAX);
  if (!c->naps) {
    MPI(MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
                      m->comm));
    return OK;
  }
  MPI(MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
                     m->comm, &r));
  return wait_all(c, 1, &r);
}

/* ---- messages ----------------------------------------------------------- */

/* Requests that are made once and started often. */
struct exchange {
  MPI_Request *requests;
  int n, cap;
};

/* In pieces that an int can count. */
static status
add(struct impl *m, struct exchange *x, const struct rt_message *g,
    bool sends) {
  for (size_t at = 0; at < g->bytes; at += CHUNK) {
    size_t left = g->bytes - at;
    int n = left < CHUNK ? (int)left : CHUNK;
    char *p = (char *)g->data + at;
    MPI_Request r;
    if (sends)
      MPI(MPI_Send_init(p, n, MPI_BYTE, g->peer, TAG, m->comm, &r));
    else
      MPI(MPI_Recv_init(p, n, MPI_BYTE, g->peer, TAG, m->comm, &r));
    VEC_PUSH(x->requests, x->n, x->cap, r);
  }
  return OK;
}

static void
mpi_release(struct rt_comm *c, void *exchange) {
  struct exchange *x = exchange;
  int ended = 0;
  (void)c;
  MPI_Finalized(&ended);
  for (int i = 0; !ended && i < x->n; i++) MPI_Request_free(&x->requests[i]);
  free(x->requests);
  free(x);
}

static status
mpi_prepare(struct rt_comm *c, const struct rt_message *send, int nsend,
            const struct rt_message *recv, int nrecv, void **out) {
  struct exchange *x = mem_alloc(1, sizeof *x);
  status st = OK;
  for (int i = 0; st == OK && i < nrecv; i++)
    st = add(c->own, x, &recv[i], false);
  for (int i = 0; st == OK && i < nsend; i++)
    st = add(c->own, x, &send[i], true);
  if (st != OK)
    mpi_release(c, x);
  else
    *out = x;
  return st;
}

static status
mpi_start(struct rt_comm *c, void *exchange) {
  struct exchange *x = exchange;
  (void)c;
  if (x->n) MPI(MPI_Startall(x->n, x->requests)); /* none: Open MPI objects */
  return OK;
}

static status
mpi_finish(struct rt_comm *c, void *exchange) {
  struct exchange *x = exchange;
  return wait_all(c, x->n, x->requests);
}

static status
mpi_alltoallv(struct rt_comm *c, const void *send, const size_t *send_bytes,
              void *recv, const size_t *recv_bytes) {
  struct exchange x = {0};
  status st = OK;
  char *own[2] = {NULL, NULL}; /* what this rank has for itself */
  assert(send_bytes[c->rank] == recv_bytes[c->rank]);
  for (int pass = 0; pass < 2; pass++) { /* receives, then sends */
    const size_t *bytes = pass ? send_bytes : recv_bytes;
    char *data = pass ? (char *)send : recv; /* NULL: there is nothing */
    for (int r = 0; st == OK && r < c->size; r++) {
      if (r == c->rank)
        own[pass] = data;
      else
        st = add(c->own, &x, &(struct rt_message){r, data, bytes[r]}, pass);
      if (bytes[r]) data += bytes[r];
    }
  }
  if (st == OK) st = mpi_start(c, &x);
  if (st == OK && recv_bytes[c->rank])
    memcpy(own[0], own[1], recv_bytes[c->rank]);
  if (st == OK) st = mpi_finish(c, &x);
  for (int i = 0; i < x.n; i++) MPI_Request_free(&x.requests[i]);
  free(x.requests);
  return st;
}

static const void *
mpi_handle(struct rt_comm *c) {
  struct impl *m = c->own;
  return &m->comm;
}

static void
mpi_abort(struct rt_comm *c, int code) {
  struct impl *m = c->own;
  MPI_Abort(m->comm, code);
  _Exit(code);
}

__attribute__((visibility("default"))) const struct rt_comm_ops op2_comm_ops = {
    .version = OP2_VERSION,
    .name = OP2_MPI_NAME,
    .open = mpi_open,
    .close = mpi_close,
    .allreduce = mpi_allreduce,
    .allgather = mpi_allgather,
    .alltoallv = mpi_alltoallv,
    .prepare = mpi_prepare,
    .start = mpi_start,
    .finish = mpi_finish,
    .release = mpi_release,
    .handle = mpi_handle,
    .abort = mpi_abort,
    .error = err_last,
};
