/* Sides of cells, each once, with the cells on both sides of it.
 *
 * Each side of each cell is an entry with its nodes in ascending order as its
 * key; sorted, equal keys lie together: one cell, a side at the boundary; two,
 * an inner one. The sides that the file has, with tags, are entries of no cell,
 * before those of cells. Numbers then follow the cells, so that a side's data
 * lie near those of its cell.
 *
 * cost: O(n log n), 40 bytes for each side of each cell */
#include "tools/mesh/mesh.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  int key[SIDE_NODES_MOST]; /* ascending; -1 behind */
  int cell, place;          /* cell -1: given, its tag */
  int n;
};

static void
key_of(const int *node, int n, int *key) {
  for (int i = 0; i < SIDE_NODES_MOST; i++) key[i] = -1;
  for (int i = 0; i < n; i++) {
    int at = i;
    for (; at > 0 && key[at - 1] > node[i]; at--) key[at] = key[at - 1];
    key[at] = node[i];
  }
}

static int
by_key(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  for (int i = 0; i < SIDE_NODES_MOST; i++)
    if (x->key[i] != y->key[i]) return x->key[i] < y->key[i] ? -1 : 1;
  if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

/* Inner ones first, then by number of nodes, cell, place. */
static int
by_place(const void *a, const void *b) {
  const struct side *x = a, *y = b;
  int left[] = {x->cell[1] < 0, x->n, x->cell[0], x->place};
  int right[] = {y->cell[1] < 0, y->n, y->cell[0], y->place};
  for (int i = 0; i < 4; i++)
    if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
  return 0;
}

/* The block that a cell is in. */
static const struct block *
block_of(const struct mesh *m, int cell) {
  const struct block *b = m->block;
  while (cell >= b->first + b->n) b++;
  return b;
}

void
side_nodes(const struct block *b, int cell, int place, int *out) {
  const int *node =
      b->node + (size_t)(cell - b->first) * (size_t)b->shape->nodes;
  for (int i = 0; i < b->shape->side[place].n; i++)
    out[i] = node[b->shape->side[place].node[i]];
}

static size_t
entries_count(const struct mesh *m) {
  size_t n = m->ngiven;
  for (int b = 0; b < m->nblocks; b++)
    n += (size_t)m->block[b].n * (size_t)m->block[b].shape->nsides;
  return n;
}

static struct entry *
entries_make(const struct mesh *m, size_t *n_out) {
  size_t n = entries_count(m), at = 0;
  struct entry *all = mem_alloc(n + 1, sizeof *all);
  for (uint32_t g = 0; g < m->ngiven; g++, at++) {
    const struct side *s = &m->given[g];
    all[at] = (struct entry){.cell = -1, .place = s->tag, .n = s->n};
    key_of(s->node, s->n, all[at].key);
  }
  for (int b = 0; b < m->nblocks; b++)
    for (int c = 0; c < m->block[b].n; c++)
      for (int k = 0; k < m->block[b].shape->nsides; k++, at++) {
        int node[SIDE_NODES_MOST], cell = m->block[b].first + c;
        struct entry e = {
            .cell = cell, .place = k, .n = m->block[b].shape->side[k].n};
        side_nodes(&m->block[b], cell, k, node);
        key_of(node, e.n, e.key);
        all[at] = e;
      }
  qsort(all, n, sizeof *all, by_key);
  *n_out = n;
  return all;
}

/* Entries e[0 .. n) of one key become a side; those of no cell are counted. */
static status
side_add(struct mesh *m, const struct entry *e, size_t n) {
  size_t given = 0;
  while (given < n && e[given].cell < 0) given++;
  if (given == n) {
    m->lone += (int)n;
    return OK;
  }
  const struct entry *c = e + given;
  if (n - given > 2)
    FAIL(
        ERR_ARG,
        "a side of nodes %d %d ... (from 0) has %zu cells: expected 2 at most; "
        "is a cell there twice, or is the surface no surface?",
        c->key[0], c->key[1], n - given);
  struct side *s = &m->side[m->nsides++];
  *s = (struct side){.n = c->n,
                     .cell = {c->cell, n - given == 2 ? c[1].cell : -1},
                     .place = c->place,
                     .tag = given ? e->place : 0};
  if (s->cell[0] == s->cell[1])
    FAIL(ERR_ARG, "cell %d (from 0) has the same nodes on two sides", c->cell);
  side_nodes(block_of(m, c->cell), c->cell, c->place, s->node);
  m->ninner += s->cell[1] >= 0;
  return OK;
}

status
mesh_sides(struct mesh *m) {
  size_t n;
  SCOPED struct entry *all = entries_make(m, &n);
  m->side = mem_alloc(n + 1, sizeof *m->side);
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1;
         end < n && !memcmp(all[i].key, all[end].key, sizeof all[i].key);)
      end++;
    TRY(side_add(m, all + i, end - i));
  }
  qsort(m->side, (size_t)m->nsides, sizeof *m->side, by_place);
  return OK;
}
