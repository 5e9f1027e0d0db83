/* Two ranks: this process and a fork of it, over a pair of sockets. Criterion's checks
 * cannot be used in a fork; those of this header and of what is included behind it end
 * the process. */
#ifndef TEST_PAIR_MAKE_H
#define TEST_PAIR_MAKE_H

#include "base/err.h"
#include "rt/ranks/comm.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#undef cr_assert
#undef cr_assert_eq
#undef cr_assert_neq
#undef cr_assert_gt
#undef cr_assert_geq
#undef cr_assert_fail
#define cr_assert(what, ...)                                                   \
  ((what) ? (void)0 : pair_fail(__FILE__, __LINE__, #what))
#define cr_assert_eq(a, b, ...) cr_assert((a) == (b))
#define cr_assert_neq(a, b, ...) cr_assert((a) != (b))
#define cr_assert_gt(a, b, ...) cr_assert((a) > (b))
#define cr_assert_geq(a, b, ...) cr_assert((a) >= (b))
#define cr_assert_fail(...) pair_fail(__FILE__, __LINE__, "fail")

static inline void
pair_fail(const char *file, int line, const char *what) {
  fprintf(stderr, "%s:%d: expected %s; %s\n", file, line, what, err_last());
  _exit(1);
}

static int pair_socket;

static inline void
pair_all(bool out, void *data, size_t n) {
  for (size_t done = 0; done < n;) {
    char *at = (char *)data + done;
    ssize_t k = out ? write(pair_socket, at, n - done)
                    : read(pair_socket, at, n - done);
    cr_assert_gt(k, 0, "the other rank is gone");
    done += (size_t)k;
  }
}

/* Rank 0 speaks first. */
static inline void
pair_swap(const struct rt_comm *c, const void *out, size_t nout, void *in,
          size_t nin) {
  if (c->rank == 0) pair_all(true, (void *)(uintptr_t)out, nout);
  pair_all(false, in, nin);
  if (c->rank == 1) pair_all(true, (void *)(uintptr_t)out, nout);
}

/* What rt_dist_make asks for: extremes of integers. */
static inline status
pair_allreduce(struct rt_comm *c, void *data, size_t n, struct type type,
               enum access op) {
  cr_assert_eq(op, ACC_MAX);
  cr_assert(type.kind == TYPE_I32 || type.kind == TYPE_I64);
  char *other = malloc(n * type.size + 1);
  pair_swap(c, data, n * type.size, other, n * type.size);
  for (size_t i = 0; i < n; i++) {
    char *a = (char *)data + i * type.size, *b = other + i * type.size;
    bool more = type.kind == TYPE_I32 ? *(int32_t *)b > *(int32_t *)a
                                      : *(int64_t *)b > *(int64_t *)a;
    if (more) memcpy(a, b, type.size);
  }
  free(other);
  return OK;
}

static inline status
pair_allgather(struct rt_comm *c, const void *mine, size_t bytes, void *all) {
  memcpy((char *)all + (size_t)c->rank * bytes, mine, bytes);
  pair_swap(c, mine, bytes, (char *)all + (size_t)!c->rank * bytes, bytes);
  return OK;
}

static inline status
pair_alltoallv(struct rt_comm *c, const void *send, const size_t *send_bytes,
               void *recv, const size_t *recv_bytes) {
  const char *out[2] = {send, send};
  char *in[2] = {recv, recv};
  if (send_bytes[0]) out[1] += send_bytes[0]; /* NULL is none */
  if (recv_bytes[0]) in[1] += recv_bytes[0];
  int me = c->rank, other = !c->rank;
  if (send_bytes[me]) memcpy(in[me], out[me], send_bytes[me]);
  pair_swap(c, out[other], send_bytes[other], in[other], recv_bytes[other]);
  return OK;
}

struct pair_exchange {
  struct rt_message out, in;
};

static inline status
pair_prepare(struct rt_comm *c, const struct rt_message *send, int nsend,
             const struct rt_message *recv, int nrecv, void **out) {
  (void)c;
  struct pair_exchange *x = calloc(1, sizeof *x);
  cr_assert(nsend <= 1 && nrecv <= 1);
  if (nsend) x->out = *send;
  if (nrecv) x->in = *recv;
  *out = x;
  return OK;
}

static inline status
pair_start(struct rt_comm *c, void *exchange) {
  (void)c, (void)exchange;
  return OK;
}

static inline status
pair_finish(struct rt_comm *c, void *exchange) {
  struct pair_exchange *x = exchange;
  pair_swap(c, x->out.data, x->out.bytes, x->in.data, x->in.bytes);
  return OK;
}

static inline void
pair_release(struct rt_comm *c, void *exchange) {
  (void)c;
  free(exchange);
}

static const struct rt_comm_ops pair_ops = {.prepare = pair_prepare,
                                            .start = pair_start,
                                            .finish = pair_finish,
                                            .release = pair_release,
                                            .allreduce = pair_allreduce,
                                            .allgather = pair_allgather,
                                            .alltoallv = pair_alltoallv};

/* fn on both; the child's failure is the parent's. */
static inline void
pair_run(void (*fn)(struct rt_comm *c)) {
  int ends[2], how;
  cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  pid_t child = fork();
  cr_assert_geq(child, 0);
  struct rt_comm c = {.ops = &pair_ops, .rank = child == 0, .size = 2};
  pair_socket = ends[child == 0];
  close(ends[child != 0]);
  fn(&c);
  close(pair_socket);
  if (child == 0) _exit(0);
  cr_assert_eq(waitpid(child, &how, 0), child);
  cr_assert(WIFEXITED(how) && WEXITSTATUS(how) == 0, "rank 1");
}

#endif
