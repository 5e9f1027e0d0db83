/* Repeated commands as CUDA graphs.
 *
 * Problem. A time step of a small mesh is ten kernels of a few microseconds,
 * and to give the driver a kernel costs it two or three: the card waits for the
 * host. A CUDA graph is given whole, for the cost of about one of them; but it
 * is made for addresses and numbers that differ in the next flush, and making
 * it costs more than it saves once.
 *
 * Idea. Between batch_begin and batch_end of the driver's table the commands of
 * a flush are kept back in a list. It goes to the stream when something waits
 * for the device (a reduction, a download), when it is long, or when the batch
 * ends. Its shape, which kernels and copies in which order, is looked up, all
 * of it compared:
 *
 *   never seen        its commands are given one by one; the shape is
 *                     remembered
 *   seen before       a graph is made of it, a chain, since each command may
 *                     need what stood before it
 *   it has a graph    each command whose words (addresses, sizes, scalars) are
 *                     not those of the last launch is set anew in the graph
 *
 * and the graph is launched:
 *
 *   flush 1   up 24 | region(q@A, res@B) | update(res@B, q@C)   one by one
 *   flush 2   up 24 | region(q@C, res@B) | update(res@B, q@A)   made, launched
 *   flush 3   up 24 | region(q@A, res@B) | update(res@B, q@C)   set, launched
 *
 * What the stream sees is the same commands in the same order, so that nothing
 * else knows of graphs. Uploads are from pinned memory (dev_cuda.c), never from
 * the program's own, hence copies of a graph like any other. A launch that is
 * under way keeps the words that it was launched with.
 *
 * Cost  a list is copied (some 100 bytes a command) and compared with those of
 *       its shape; a command set anew costs the host about a third of a launch.
 * Source  CUDA driver API, graph management: cuGraphAddKernelNode,
 *         cuGraphExecKernelNodeSetParams and their like for copies and zeros
 *         (CUDA 11.4).
 * Limits  The card starts on a list when it is whole. Buffers that take turns
 *         are set anew each time; a graph for each turn would save that. Lists
 *         of one command are given as they are. */
#include "rt/device/dev_cuda.h"

#include "base/arena.h"
#include "base/counters.h"
#include "base/log.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  LEAST = 2,   /* commands that are worth a graph */
  MOST = 256,  /* commands kept back */
  GRAPHS = 64, /* shapes remembered; then the one not used for longest goes */
};

bool rt_cuda_graphs = true;

struct cu_graph {
  struct cu_list list; /* as it was given last */
  uint64_t used;       /* when */
  void *graph, *exec;  /* NULL: seen once */
  void **nodes;        /* of the list's commands */
};

/* ---- lists --------------------------------------------------------------- */

static void
list_add(struct cu_list *l, struct cu_command c, const int64_t *words) {
  c.first = l->nwords;
  VEC_PUSH(l->commands, l->n, l->cap, c);
  for (uint32_t k = 0; k < c.nwords; k++)
    VEC_PUSH(l->words, l->nwords, l->words_cap, words[k]);
}

static void
list_clear(struct cu_list *l) {
  free(l->commands);
  free(l->words);
  *l = (struct cu_list){0};
}

static bool
same_shape(const struct cu_list *a, const struct cu_list *b) {
  if (a->n != b->n || a->nwords != b->nwords) return false;
  for (uint32_t k = 0; k < a->n; k++) {
    const struct cu_command *x = &a->commands[k], *y = &b->commands[k];
    if (x->kind != y->kind || x->function != y->function ||
        x->nwords != y->nwords)
      return false;
  }
  return true;
}

static status
give_each(struct rt_device *d, const struct cu_list *l) {
  for (uint32_t k = 0; k < l->n; k++)
    TRY(cu_run(d, &l->commands[k], l->words + l->commands[k].first));
  return OK;
}

/* ---- nodes, in the driver's form ---------------------------------------- */

struct kernel_node { /* CUDA_KERNEL_NODE_PARAMS_v1 */
  void *function;
  unsigned groups[3], group[3], shared;
  void **args, **extra;
};

enum { MEMORY_HOST = 1, MEMORY_DEVICE = 2 };
struct copy_side {
  size_t x, y, z, lod;
  int memory;
  int64_t host, device;
  void *array, *reserved;
  size_t pitch, height;
};
struct copy_node { /* CUDA_MEMCPY3D */
  struct copy_side from, to;
  size_t bytes, height, depth;
};

static void *
event_of(const int64_t *w) {
  return (void *)(uintptr_t)w[0];
}

/* `args` has room for CU_ARGS_MAX. */
static struct kernel_node
kernel_node(const struct cu_command *c, int64_t *w, void **args) {
  assert(c->nwords - CU_LAUNCH_WORDS <= CU_ARGS_MAX);
  for (uint32_t k = CU_LAUNCH_WORDS; k < c->nwords; k++)
    args[k - CU_LAUNCH_WORDS] = &w[k];
  return (struct kernel_node){.function = c->function,
                              .groups = {(unsigned)w[0], 1, 1},
                              .group = {(unsigned)w[1], 1, 1},
                              .shared = (unsigned)w[2],
                              .args = args};
}

static struct copy_node
copy_node(const struct cu_command *c, const int64_t *w) {
  struct copy_node n = {.to = {.memory = MEMORY_DEVICE, .device = w[0]},
                        .bytes = (size_t)w[2],
                        .height = 1,
                        .depth = 1};
  if (c->kind == CU_UP)
    n.from = (struct copy_side){.memory = MEMORY_HOST, .host = w[1]};
  else
    n.from = (struct copy_side){.memory = MEMORY_DEVICE, .device = w[1]};
  return n;
}

struct zero_node { /* CUDA_MEMSET_NODE_PARAMS_v1 */
  int64_t at;
  size_t pitch;
  unsigned value, unit; /* bytes of it */
  size_t width, height;
};

static struct zero_node
zero_node(const int64_t *w) {
  return (struct zero_node){
      .at = w[0], .unit = 1, .width = (size_t)w[1], .height = 1};
}

/* ---- graphs -------------------------------------------------------------- */

static void
graph_unmake(struct cu_graph *g) {
  if (g->exec) cu.cuGraphExecDestroy(g->exec);
  if (g->graph) cu.cuGraphDestroy(g->graph);
  free(g->nodes);
  g->exec = g->graph = NULL;
  g->nodes = NULL;
}

static void
graph_clear(struct cu_graph *g) {
  graph_unmake(g);
  list_clear(&g->list);
}

static status
add_node(struct rt_device *d, struct cu_graph *g, uint32_t k) {
  const struct cu_command *c = &g->list.commands[k];
  int64_t *w = g->list.words + c->first;
  void *context = cu_of(d)->context, **node = &g->nodes[k];
  void *args[CU_ARGS_MAX], **before = k ? &g->nodes[k - 1] : NULL;
  switch (c->kind) {
  case CU_KERNEL: {
    struct kernel_node n = kernel_node(c, w, args);
    CU(d, cuGraphAddKernelNode(node, g->graph, before, k > 0, &n));
  } break;
  case CU_UP:
  case CU_COPY: {
    struct copy_node n = copy_node(c, w);
    CU(d, cuGraphAddMemcpyNode(node, g->graph, before, k > 0, &n, context));
  } break;
  case CU_ZERO: {
    struct zero_node n = zero_node(w);
    CU(d, cuGraphAddMemsetNode(node, g->graph, before, k > 0, &n, context));
  } break;
  case CU_EVENT:
    CU(d,
       cuGraphAddEventRecordNode(node, g->graph, before, k > 0, event_of(w)));
    break;
  }
  return OK;
}

static status
set_node(struct rt_device *d, struct cu_graph *g, uint32_t k) {
  const struct cu_command *c = &g->list.commands[k];
  int64_t *w = g->list.words + c->first;
  void *context = cu_of(d)->context, *node = g->nodes[k];
  void *args[CU_ARGS_MAX];
  switch (c->kind) {
  case CU_KERNEL: {
    struct kernel_node n = kernel_node(c, w, args);
    CU(d, cuGraphExecKernelNodeSetParams(g->exec, node, &n));
  } break;
  case CU_UP:
  case CU_COPY: {
    struct copy_node n = copy_node(c, w);
    CU(d, cuGraphExecMemcpyNodeSetParams(g->exec, node, &n, context));
  } break;
  case CU_ZERO: {
    struct zero_node n = zero_node(w);
    CU(d, cuGraphExecMemsetNodeSetParams(g->exec, node, &n, context));
  } break;
  case CU_EVENT:
    CU(d, cuGraphExecEventRecordNodeSetEvent(g->exec, node, event_of(w)));
    break;
  }
  return OK;
}

static status
make_nodes(struct rt_device *d, struct cu_graph *g) {
  CU(d, cuGraphCreate(&g->graph, 0));
  g->nodes = mem_alloc(g->list.n, sizeof *g->nodes);
  for (uint32_t k = 0; k < g->list.n; k++) TRY(add_node(d, g, k));
  CU(d, cuGraphInstantiateWithFlags(&g->exec, g->graph, 0));
  counters[CNT_graphs]++;
  LOG_DEBUG("CUDA device %d: a graph of %u commands", d->target.number,
            g->list.n);
  return OK;
}

/* The words of `l`, which has the graph's shape. */
static status
graph_make(struct rt_device *d, struct cu_graph *g, const struct cu_list *l) {
  memcpy(g->list.words, l->words, l->nwords * sizeof *l->words);
  status st = make_nodes(d, g);
  if (st != OK) graph_unmake(g);
  return st;
}

static status
graph_set(struct rt_device *d, struct cu_graph *g, const struct cu_list *l) {
  for (uint32_t k = 0; k < l->n; k++) {
    const struct cu_command *c = &l->commands[k];
    size_t bytes = c->nwords * sizeof *l->words;
    if (!memcmp(g->list.words + c->first, l->words + c->first, bytes)) continue;
    memcpy(g->list.words + c->first, l->words + c->first, bytes);
    TRY(set_node(d, g, k));
  }
  return OK;
}

/* ---- lists that were given before ---------------------------------------- */

static struct cu_graph *
graph_find(struct cu_device *x, const struct cu_list *l) {
  for (uint32_t k = 0; k < x->ngraphs; k++)
    if (same_shape(&x->graphs[k].list, l)) return &x->graphs[k];
  return NULL;
}

/* A place for one more. */
static struct cu_graph *
graph_place(struct cu_device *x) {
  if (!x->graphs) x->graphs = mem_alloc(GRAPHS, sizeof *x->graphs);
  if (x->ngraphs < GRAPHS) return &x->graphs[x->ngraphs++];
  struct cu_graph *oldest = x->graphs;
  for (uint32_t k = 1; k < GRAPHS; k++)
    if (x->graphs[k].used < oldest->used) oldest = &x->graphs[k];
  graph_clear(oldest);
  return oldest;
}

static status
give_graph(struct rt_device *d, struct cu_list *l) {
  struct cu_device *x = cu_of(d);
  struct cu_graph *g = graph_find(x, l);
  if (!g) {
    g = graph_place(x);
    *g = (struct cu_graph){.list = *l, .used = ++x->clock};
    *l = (struct cu_list){0}; /* it is the graph's now */
    return give_each(d, &g->list);
  }
  g->used = ++x->clock;
  if (g->exec)
    TRY(graph_set(d, g, l));
  else
    TRY(graph_make(d, g, l));
  CU(d, cuGraphLaunch(g->exec, x->stream));
  counters[CNT_graph_launches]++;
  return OK;
}

status
cu_keep(struct rt_device *d, const struct cu_command *c, const int64_t *words) {
  struct cu_device *x = cu_of(d);
  list_add(&x->kept, *c, words);
  return x->kept.n < MOST ? OK : cu_give(d);
}

status
cu_give(struct rt_device *d) {
  struct cu_list *l = &cu_of(d)->kept;
  if (!l->n) return OK;
  status st = l->n < LEAST ? give_each(d, l) : give_graph(d, l);
  l->n = l->nwords = 0;
  return st;
}

void
cu_graphs_drop(struct rt_device *d) {
  struct cu_device *x = cu_of(d);
  for (uint32_t k = 0; k < x->ngraphs; k++) graph_clear(&x->graphs[k]);
  x->ngraphs = 0;
}

void
cu_graphs_close(struct rt_device *d) {
  cu_graphs_drop(d);
  free(cu_of(d)->graphs);
  list_clear(&cu_of(d)->kept);
}
