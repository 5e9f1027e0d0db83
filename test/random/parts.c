/* Parts of sets, and global numbers.
 *
 * Problem. In parts a rank declares some elements of a set and calls those of others by
 * global numbers; the interpreter has one array of each dat. What a rank declares of a
 * box the library says, and only of this rank's.
 *
 * Idea. Each set has one list: its elements part by part, points of other ranks around a
 * part included. A place in it is a global number, a stretch of it a rank's part; all
 * that is declared, written and compared goes through it. Lists of subsets, columns and
 * points follow from those of what they are made of. For boxes ranks tell each other
 * what op2_box_local said, by files, so that a library that is wrong there is found.
 */
#include "parts.h"

#include "columns.h"

#include "../programs/ranks.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what a rank has ------------------------------------------------------------ */

static struct part
part_new(int elements, int rank, int ranks) {
  struct part x = {.rank = rank, .ranks = ranks};
  x.start = get_memory((size_t)ranks + 1, sizeof *x.start);
  x.number = get_memory((size_t)elements + 1, sizeof *x.number);
  x.rows = get_memory((size_t)elements + 1, sizeof *x.rows);
  for (int e = 0; e < elements; e++) x.rows[e] = e;
  return x;
}

/* One more element of the part that was begun last. */
static void
part_add(struct part *x, int *n, int *nothers, int e, bool other) {
  if (!other) x->number[e] = *n;
  ADD(x->all, *n, e);
  ADD(x->others, *nothers, other);
}

struct part
part_whole(const struct program *p, int s, const int *from) {
  struct part x = part_new(p->sets[s], 0, 1);
  int n = 0, nothers = 0;
  for (int k = 0; k < p->sets[s]; k++) {
    x.rows[k] = from ? from[k] : k;
    part_add(&x, &n, &nothers, x.rows[k], false);
  }
  x.start[1] = n;
  return x;
}

/* A set without a rule of its own: pieces of one length, now and then none on the
 * first rank. */
static int
block_begin(const struct program *p, int s, int rank, int ranks) {
  bool first = ranks == 1 || (p->seed + (uint64_t)s) % 4;
  if (first) return (int)((int64_t)p->sets[s] * rank / ranks);
  return rank ? (int)((int64_t)p->sets[s] * (rank - 1) / (ranks - 1)) : 0;
}

/* Of a subset by the numbers of its parent's elements; -1: not in it. */
static int *
subset_members(const struct program *p, int s) {
  int n = p->sets[p->made[s].of], *member = get_memory((size_t)n + 1, sizeof n);
  for (int e = 0; e < n; e++) member[e] = -1;
  for (int e = 0; e < p->sets[s]; e++) member[subset_index(p, s, e)] = e;
  return member;
}

/* Of columns and subsets, what belongs to elements first to end of the set that they
 * are made of. */
static void
add_made(const struct program *p, int s, const struct part *of, int first,
         int end, struct part *x, int *n, int *nothers) {
  const struct pmade *u = &p->made[s];
  int *member = u->of >= 0 ? subset_members(p, s) : NULL;
  for (int k = first; k < end; k++) {
    int e = of->all[k];
    if (member && member[e] >= 0) part_add(x, n, nothers, member[e], false);
    if (member) continue;
    struct column c = column_at(p, s, e);
    for (int i = 0; i < c.n; i++) part_add(x, n, nothers, c.first + i, false);
  }
  free(member);
}

/* Points around a box: those of this rank, and with them the ones that its halo has of
 * others. */
static void
add_points(const struct program *p, int s, const struct part *box, int r,
           struct part *x, int *n, int *nothers) {
  const struct pmade *u = &p->made[s], *b = &p->made[u->points ? u->box : s];
  struct area own = {{0}}, around = {{0}};
  for (int d = 0; d < b->ndim && u->points; d++)
    for (int side = 0; side < 2; side++) {
      bool end = side ? box->hi[r][d] == b->n[d] : !box->lo[r][d];
      around.at[2 * d + side] = u->halo[2 * d + side];
      own.at[2 * d + side] = end ? u->halo[2 * d + side] : 0;
    }
  int room = p->sets[s] + 1;
  int *points = get_memory((size_t)room, sizeof *points);
  bool *mine = get_memory((size_t)room, sizeof *mine);
  int count = box_points(p, s, box->lo[r], box->hi[r], &own, points);
  for (int k = 0; k < count; k++) mine[points[k]] = true;
  count = box_points(p, s, box->lo[r], box->hi[r], &around, points);
  for (int k = 0; k < count; k++)
    part_add(x, n, nothers, points[k], !mine[points[k]]);
  free(points);
  free(mine);
}

struct part
part_of(const struct program *p, int s, const struct part *before, int rank,
        int ranks) {
  const struct pmade *u = &p->made[s];
  struct part x = part_new(p->sets[s], rank, ranks);
  const struct part *of = &before[u->of >= 0 ? u->of : u->over];
  int n = 0, nothers = 0;
  for (int r = 0; r < ranks; r++) {
    if (u->points) {
      add_points(p, s, &before[u->box], r, &x, &n, &nothers);
    } else if (u->of >= 0 || u->over >= 0) {
      add_made(p, s, of, of->start[r], of->start[r + 1], &x, &n, &nothers);
    } else {
      int end = block_begin(p, s, r + 1, ranks);
      for (int e = block_begin(p, s, r, ranks); e < end; e++)
        part_add(&x, &n, &nothers, e, false);
    }
    x.start[r + 1] = n;
  }
  return x;
}

struct part
part_of_box(const struct program *p, int s, int rank, int ranks,
            int (*lo)[BOX_DIMS], int (*hi)[BOX_DIMS]) {
  struct part x = part_new(p->sets[s], rank, ranks);
  int n = 0, nothers = 0;
  x.lo = lo;
  x.hi = hi;
  for (int r = 0; r < ranks; r++) {
    add_points(p, s, &x, r, &x, &n, &nothers);
    x.start[r + 1] = n;
  }
  assert(n == p->sets[s]); /* each point is in one part */
  return x;
}

void
part_clear(struct part *x) {
  free(x->start);
  free(x->all);
  free(x->others);
  free(x->number);
  free(x->rows);
  free(x->lo);
  free(x->hi);
}

int
part_row(const struct part *x, int element) {
  return x->ranks > 1 ? element : x->number[element];
}

int
part_count(const struct part *x) {
  return x->start[x->rank + 1] - x->start[x->rank];
}

/* Lists that are empty have no memory. */
const int *
part_elements(const struct part *x) {
  return x->all ? x->all + x->start[x->rank] : NULL;
}

const bool *
part_others(const struct part *x) {
  return x->others ? x->others + x->start[x->rank] : NULL;
}

/* ---- what others have ------------------------------------------------------------ */

/* Ranks have one parent, their launcher. */
static void
file_of(long long number, int rank, char *path, size_t size) {
  const char *folder = getenv("TMPDIR");
  snprintf(path, size, "%.400s/parts.%d.%lld.%d", folder ? folder : "/tmp",
           (int)getppid(), number, rank);
}

/* It is whole as soon as it has its name. */
static void
file_write(const char *path, const void *values, size_t bytes) {
  char made[600];
  snprintf(made, sizeof made, "%s.new", path);
  FILE *f = fopen(made, "w");
  if (!f || fwrite(values, 1, bytes, f) != bytes) abort();
  if (fclose(f) || rename(made, path)) abort();
}

static void
file_read(const char *path, void *values, size_t bytes) {
  FILE *f;
  while (!(f = fopen(path, "r"))) usleep(200);
  if (fread(values, 1, bytes, f) != bytes) abort();
  fclose(f);
}

static long long gathered;

/* Files of the gathering before this one are read by then: who has written for this one
 * is through with it. */
void
parts_gather(const void *mine, size_t bytes, void *all) {
  char path[512];
  int ranks = check_ranks(), rank = check_rank();
  file_of(gathered, rank, path, sizeof path);
  file_write(path, mine, bytes);
  for (int r = 0; r < ranks; r++) {
    file_of(gathered, r, path, sizeof path);
    file_read(path, (char *)all + (size_t)r * bytes, bytes);
  }
  parts_forget();
  gathered++;
}

void
parts_forget(void) {
  char path[512];
  file_of(gathered - 1, check_rank(), path, sizeof path);
  unlink(path);
}
