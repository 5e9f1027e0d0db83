#include "graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../take.h"
#include "kernels.h"

static void
weigh_edges(struct graph *g) {
  const struct box *b = &g->box;
  g->weight = bench_take(b->nedge, sizeof(double));
  g->diagonal = bench_take(b->nnode, sizeof(double));
  g->b = bench_take(b->nnode, sizeof(double));
  for (int e = 0; e < b->nedge; e++) {
    int p = b->edge[2 * e], q = b->edge[2 * e + 1];
    g->weight[e] = chebyshev_weight(b->x + 3 * p, b->x + 3 * q);
    g->diagonal[p] += 1.0625 * g->weight[e];
    g->diagonal[q] += 1.0625 * g->weight[e];
  }
  for (int n = 0; n < b->nnode; n++) g->b[n] = chebyshev_wave(b->x + 3 * n);
}

static void
weigh_rows(struct graph *g) {
  g->nentry = 2 * g->box.nedge;
  g->entry_weight = bench_take(g->nentry, sizeof(double));
  g->entry = bench_take(g->nentry, sizeof(int));
  box_rows_make(&g->rows, &g->box);
  for (int k = 0; k < g->nentry; k++) {
    g->entry[k] = k;
    g->entry_weight[k] = g->weight[g->rows.from[k]];
  }
}

void
graph_make(struct graph *g, int ni, int nj, int nk, unsigned seed) {
  memset(g, 0, sizeof *g);
  box_make(&g->box, ni, nj, nk, seed);
  weigh_edges(g);
  weigh_rows(g);
}

void
graph_clear(struct graph *g) {
  box_clear(&g->box);
  box_rows_clear(&g->rows);
  free(g->weight);
  free(g->entry_weight);
  free(g->entry);
  free(g->diagonal);
  free(g->b);
  memset(g, 0, sizeof *g);
}

/* KB of the last cache, as Linux tells; 0: unknown. */
static double
last_cache(void) {
  char path[80];
  int kb, last = 0;
  for (int k = 0; k < 8; k++) {
    snprintf(path, sizeof path,
             "/sys/devices/system/cpu/cpu0/cache/index%d/size", k);
    FILE *f = fopen(path, "r");
    if (!f) break;
    if (fscanf(f, "%dK", &kb) == 1) last = kb;
    fclose(f);
  }
  return last;
}

void
graph_print(const struct graph *g, int as_rows) {
  const struct box *b = &g->box;
  double entries = as_rows ? g->nentry : b->nedge;
  /* a weight, and two ends of an edge or a row's neighbour */
  double entry = as_rows ? 8 + 4 : 8 + 2 * 4;
  double node = as_rows ? 8 + 5 * 8 : 5 * 8;
  double bytes = entries * entry + b->nnode * node;
  double cache = 1024 * last_cache();
  long long least = g->nentry, most = 0;
  for (int n = 0; n < b->nnode; n++) {
    long long length = g->rows.ptr[n + 1] - g->rows.ptr[n];
    least = length < least ? length : least;
    most = length > most ? length : most;
  }
  printf("%d nodes, %d edges; rows of %lld to %lld, %.1f on average; %g bytes "
         "an entry (%s), %.4g MB in all",
         b->nnode, b->nedge, least, most, (double)g->nentry / b->nnode, entry,
         as_rows ? "of a row" : "an edge, of two rows", 1e-6 * bytes);
  if (cache > 0) printf(", %.2g times the last cache", bytes / cache);
  printf("\n");
}
