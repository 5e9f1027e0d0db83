/* A child plays a batch; it reports through a pipe, in fixed-size messages: where it
 * is, so that the parent knows where it crashed, and the first failure. */
#include "run.h"

#include "kernels.h"
#include "suits.h"

#define OP2_NO_MACROS
#include "op2.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HANG_SECONDS = 120 };

struct figures figures;
bool run_opaque, run_mixed, run_ranks, run_parts, run_apart;
uint64_t run_bits;

enum message_kind { AT, FAILED, PLAYED, COUNTS };
struct message {
  enum message_kind kind;
  int program, mode;
  struct failure failure;
  long long counts[5];
};

static const char *const counted[] = {"compiles", "cache_hits", "loops",
                                      "regions", "renames"};

static void
tell(int fd, const struct message *m) {
  ssize_t n = write(fd, m, sizeof *m);
  if (n != (ssize_t)sizeof *m) _exit(3);
}

static bool
mode_suits(size_t mode, const struct program *p) {
  if (modes[mode].flags & PLAY_RANKS && !run_ranks) return false;
  return mode_is_for(&modes[mode]) && suits(p, modes[mode].flags);
}

static void
play_one(const struct program *p, const struct seen *seen, unsigned flags,
         struct failure *out) {
  struct program *other = NULL;
  if (flags & PLAY_PERMUTE) other = program_permute(p);
  play(other ? other : p, seen, flags, out);
  if (other) program_free(other);
}

/* Sums of a program of the batch in the first mode of those that have the same. */
struct sums {
  bool have;
  uint64_t sums;
};
static struct sums *reproducible, *eager;

static void
same_as(struct sums *first, uint64_t sums, const struct program *p,
        const char *what, struct failure *out) {
  if (first->have && first->sums != sums) {
    out->failed = true;
    out->op = p->nops;
    out->cell = -1;
    snprintf(out->text, sizeof out->text, "sums have other bits %s", what);
  }
  *first = (struct sums){true, sums};
}

/* In reproducible modes sums have the bits of the first such mode; over ranks of that on
 * any number of them. On one thread, where elements keep their numbers, those over
 * elements have the bits of loops at their calls; of increments, which commute, those of
 * several loops may come in another order. */
static void
same_sums(const struct batch *b, int m, int k, struct failure *out) {
  unsigned flags = modes[b->modes[m]].flags;
  if (out->failed) return;
  if (flags & PLAY_SAME_SUMS && !reproducible[k].have)
    run_bits = (run_bits ^ out->sums >> 32 ^ out->sums) * 0x100000001b3u;
  if (flags & PLAY_SAME_SUMS)
    same_as(&reproducible[k], out->sums, b->programs[k],
            "on another number of threads", out);
  if (flags & PLAY_EAGER_SUMS)
    same_as(&eager[k], out->global_sums, b->programs[k],
            "than at the loops' calls", out);
}

/* A session of its own, that may end with an error after its ranks came apart. */
static void
play_alone(const struct program *p, const struct seen *seen, unsigned flags,
           struct failure *out) {
  struct failure ended;
  *out = (struct failure){0};
  if (flags & PLAY_REFUSED) play_refused(p->seed, out);
  if (out->failed) return;
  play_begin(flags);
  play_one(p, seen, flags, out);
  run_apart = flags & PLAY_APART; /* op_exit takes all ranks */
  if (run_apart) return;
  play_end(&ended);
  if (ended.failed && !out->failed) *out = ended;
}

/* One session: all programs in one mode. False: something failed. */
static bool
child_session(const struct batch *b, int m, struct seen **seen, int fd) {
  size_t mode = b->modes[m];
  struct message at = {.kind = AT, .mode = (int)mode};
  unsigned flags = modes[mode].flags;
  bool alone = flags & (PLAY_REFUSED | PLAY_APART); /* a session for each */
  mode_enter(&modes[mode]);
  if (!alone) play_begin(flags);
  for (int k = 0; k < b->nprograms; k++) {
    if (!mode_suits(mode, b->programs[k])) continue;
    at.kind = AT;
    at.program = k;
    tell(fd, &at);
    alarm(HANG_SECONDS);
    if (alone)
      play_alone(b->programs[k], seen[k], flags, &at.failure);
    else
      play_one(b->programs[k], seen[k], flags, &at.failure);
    same_sums(b, m, k, &at.failure);
    at.kind = at.failure.failed ? FAILED : PLAYED;
    tell(fd, &at);
    if (at.failure.failed || run_apart) return false;
  }
  at.kind = COUNTS;
  for (int c = 0; c < 5; c++) at.counts[c] = op2_counter(counted[c]);
  tell(fd, &at);
  at.program = b->nprograms;
  at.kind = AT;
  tell(fd, &at);
  if (alone) return true;
  play_end(&at.failure);
  op2_counters_reset();
  at.kind = FAILED;
  if (at.failure.failed) tell(fd, &at);
  return !at.failure.failed;
}

static void
child(const struct batch *b, int fd) {
  struct seen **seen = get_memory((size_t)b->nprograms, sizeof *seen);
  for (int k = 0; k < b->nprograms; k++) {
    seen[k] = interp_program(b->programs[k], NULL);
    assert(seen[k]);
  }
  bool ok = true;
  reproducible = get_memory((size_t)b->nprograms, sizeof *reproducible);
  eager = get_memory((size_t)b->nprograms, sizeof *eager);
  for (int m = 0; ok && m < b->nmodes; m++) ok = child_session(b, m, seen, fd);
  for (int k = 0; k < b->nprograms; k++) interp_free(b->programs[k], seen[k]);
  free(seen);
  free(reproducible);
  free(eager);
}

static void
note_kinds(uint64_t bits) {
  for (int k = 0; k < KINDS_MAX; k++) figures.by_kind[k] += bits >> k & 1;
}

static void
note(const struct batch *b, const struct message *m) {
  if (m->kind == PLAYED) {
    figures.plays++;
    figures.by_mode[m->mode]++;
    note_kinds(kinds_of(b->programs[m->program], &modes[m->mode]));
  } else if (m->kind == COUNTS) {
    figures.compiles += m->counts[0];
    figures.hits += m->counts[1];
    figures.loops += m->counts[2];
    figures.regions += m->counts[3];
    figures.renames += m->counts[4];
  }
}

static void
listen_to(const struct batch *b, int fd, struct result *out) {
  struct message m;
  while (read(fd, &m, sizeof m) == (ssize_t)sizeof m) {
    note(b, &m);
    out->program = m.program;
    out->mode = (size_t)m.mode;
    if (m.kind != FAILED) continue;
    out->failed = true;
    out->failure = m.failure;
    return;
  }
}

static void
how_ended(int status, struct result *out) {
  if (out->failed || (WIFEXITED(status) && !WEXITSTATUS(status))) return;
  out->failed = out->crashed = true;
  out->failure = (struct failure){.failed = true, .cell = -1};
  if (WIFSIGNALED(status))
    snprintf(out->failure.text, sizeof out->failure.text, "signal %d (%s)",
             WTERMSIG(status), strsignal(WTERMSIG(status)));
  else
    snprintf(out->failure.text, sizeof out->failure.text, "exit with %d",
             WEXITSTATUS(status));
}

void
run_batch(const struct batch *b, struct result *out) {
  int fds[2], status = 0;
  *out = (struct result){.program = b->nprograms};
  if (pipe(fds)) abort();
  fflush(NULL);
  pid_t pid = fork();
  if (pid < 0) abort();
  if (!pid) {
    close(fds[0]);
    child(b, fds[1]);
    fflush(NULL);
    _exit(0);
  }
  close(fds[1]);
  listen_to(b, fds[0], out);
  close(fds[0]);
  waitpid(pid, &status, 0);
  how_ended(status, out);
}

void
run_here(const struct batch *b, struct result *out) {
  FILE *said = tmpfile(); /* nobody reads while it talks: a pipe might fill */
  *out = (struct result){.program = b->nprograms};
  if (!said) abort();
  child(b, fileno(said));
  lseek(fileno(said), 0, SEEK_SET);
  listen_to(b, fileno(said), out);
  fclose(said);
}

bool
run_fails(const struct program *p, size_t mode, struct result *out) {
  struct batch b = {&p, 1, &mode, 1};
  struct figures kept = figures;
  run_batch(&b, out);
  figures = kept;
  return out->failed;
}
