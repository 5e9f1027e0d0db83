/* A CUDA driver for tests, without a GPU: device memory is the host's, kernels do
 * nothing but be counted. Every call is checked against what must hold before it
 * (a context is current, the stream is ours, memory was allocated and is large
 * enough) and written to a log; `mock_cuda` is read by the test. Graphs must be chains;
 * what they launch is checked and logged as if it were launched alone.
 * MOCK_OLD: a driver that knows no graphs. */
#include "libcuda.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mock_cuda mock_cuda = {.devices = 2};

enum { BLOCKS_MAX = 256, INVALID = 1, OUT_OF_MEMORY = 2, NO_IMAGE = 200 };
static struct {
  char *at;
  size_t bytes;
} blocks[BLOCKS_MAX];
static int context, stream;
static long long milliseconds; /* of the card: one a launch */
static void *current;

static void
note(const char *fmt, ...) {
  size_t used = strlen(mock_cuda.log);
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(mock_cuda.log + used, sizeof mock_cuda.log - used, fmt, ap);
  va_end(ap);
}

static void
note_args(const unsigned long long *words, int n) {
  size_t used = strlen(mock_cuda.args), size = sizeof mock_cuda.args;
  for (int k = 0; k < n && used + 20 < size; k++)
    used += (size_t)snprintf(mock_cuda.args + used, size - used, "%c%llx",
                             k ? ' ' : '(', words[k]);
  snprintf(mock_cuda.args + used, size - used, ")");
}

/* A rule that was broken: the first one is kept. */
static int
broken(const char *what) {
  if (!*mock_cuda.broken)
    snprintf(mock_cuda.broken, sizeof mock_cuda.broken, "%s", what);
  return INVALID;
}

static int
in_block(const char *p, size_t bytes) {
  for (int k = 0; k < BLOCKS_MAX; k++)
    if (blocks[k].at && p >= blocks[k].at &&
        p + bytes <= blocks[k].at + blocks[k].bytes)
      return 1;
  return 0;
}

static int
block_new(void **out, size_t bytes) {
  for (int k = 0; k < BLOCKS_MAX; k++) {
    if (blocks[k].at) continue;
    blocks[k].at = malloc(bytes);
    blocks[k].bytes = bytes;
    memset(blocks[k].at, 0x5a, bytes);
    *out = blocks[k].at;
    return 0;
  }
  return OUT_OF_MEMORY;
}

static int
block_free(void *p) {
  for (int k = 0; k < BLOCKS_MAX; k++)
    if (p && blocks[k].at == p) {
      free(p);
      blocks[k].at = NULL;
      return 0;
    }
  return broken("memory freed that was not allocated");
}

#define NEEDS_CONTEXT                                                          \
  if (!current) return broken("a call without a current context")
#define NEEDS_STREAM(s)                                                        \
  if ((s) != &stream) return broken("a call on another stream")

int
cuInit(unsigned flags) {
  note("init ");
  if (flags) return broken("cuInit: flags");
  mock_cuda.up = 1;
  return mock_cuda.fail_init ? 999 : 0;
}

int
cuGetErrorString(int code, const char **text) {
  *text = code == OUT_OF_MEMORY ? "out of memory" : "mock error";
  return 0;
}

int
cuDeviceGetCount(int *n) {
  if (!mock_cuda.up) return broken("before cuInit");
  *n = mock_cuda.devices;
  return 0;
}

int
cuDeviceGet(int *device, int number) {
  if (number >= mock_cuda.devices) return broken("no such device");
  *device = number;
  return 0;
}

int
cuDeviceGetName(char *name, int size, int device) {
  snprintf(name, (size_t)size, "mock %d", device);
  return 0;
}

int
cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? mock_cuda.major : attribute == 76 ? 0 : 4;
  if (attribute == 8) *value = 48 << 10;
  if (attribute == 75 && !mock_cuda.major) *value = 9;
  return 0;
}

int
cuDevicePrimaryCtxRetain(void **out, int device) {
  note("retain%d ", device);
  mock_cuda.retained++;
  *out = &context;
  return 0;
}

int
cuDevicePrimaryCtxRelease_v2(int device) {
  note("release%d ", device);
  mock_cuda.retained--;
  return 0;
}

int
cuCtxSetCurrent(void *c) {
  if (c != &context) return broken("another context");
  current = c;
  return 0;
}

int
cuStreamCreate(void **out, unsigned flags) {
  NEEDS_CONTEXT;
  note("stream%u ", flags);
  mock_cuda.streams++;
  *out = &stream;
  return 0;
}

int
cuStreamDestroy_v2(void *s) {
  NEEDS_STREAM(s);
  note("unstream ");
  mock_cuda.streams--;
  return 0;
}

int
cuStreamSynchronize(void *s) {
  NEEDS_STREAM(s);
  note("sync ");
  return 0;
}

int
cuMemAlloc_v2(void **out, size_t bytes) {
  NEEDS_CONTEXT;
  note("alloc%zu ", bytes);
  if (mock_cuda.fail_alloc) return OUT_OF_MEMORY;
  mock_cuda.mems++;
  return block_new(out, bytes);
}

int
cuMemFree_v2(void *mem) {
  NEEDS_CONTEXT;
  mock_cuda.mems--;
  return block_free(mem);
}

int
cuMemHostAlloc(void **out, size_t bytes, unsigned flags) {
  NEEDS_CONTEXT;
  (void)flags;
  mock_cuda.pinned++;
  return block_new(out, bytes);
}

int
cuMemFreeHost(void *mem) {
  mock_cuda.pinned--;
  return block_free(mem);
}

static int
copy(const char *what, void *to, const void *from, size_t bytes, void *s) {
  NEEDS_CONTEXT;
  NEEDS_STREAM(s);
  unsigned long long words[] = {(uintptr_t)to, bytes};
  note("%s%zu ", what, bytes);
  note_args(words, 2);
  if (!in_block(to, bytes) || !in_block(from, bytes))
    return broken("a copy outside of device and pinned memory");
  memcpy(to, from, bytes);
  return 0;
}

int
cuMemcpyHtoDAsync_v2(void *to, const void *from, size_t bytes, void *s) {
  return copy("up", to, from, bytes, s);
}

int
cuMemcpyDtoHAsync_v2(void *to, void *from, size_t bytes, void *s) {
  if (mock_cuda.fail_down) return 700;
  return copy("down", to, from, bytes, s);
}

int
cuMemcpyDtoDAsync_v2(void *to, void *from, size_t bytes, void *s) {
  return copy("copy", to, from, bytes, s);
}

int
cuMemsetD8Async(void *to, unsigned char value, size_t bytes, void *s) {
  NEEDS_CONTEXT;
  NEEDS_STREAM(s);
  unsigned long long words[] = {(uintptr_t)to, bytes};
  note("zero%zu ", bytes);
  note_args(words, 2);
  if (!in_block(to, bytes)) return broken("a fill outside of device memory");
  memset(to, value, bytes);
  return 0;
}

static bool
is_refused(const char *image) {
  const char *const *text = mock_cuda.refuse;
  return text[0] && strstr(image, text[0]) &&
         (!text[1] || strstr(image, text[1]));
}

/* "Code" must begin as PTX does. */
int
cuModuleLoadDataEx(void **out, const void *image, unsigned n, int *options,
                   void **values) {
  NEEDS_CONTEXT;
  note("load ");
  bool text = strstr(image, ".version") != NULL;
  if (!text || is_refused(image)) {
    for (unsigned k = 0; k < n; k++)
      if (options[k] == 5)
        strcpy(values[k], text ? "mock: refused" : "mock: not PTX");
    return NO_IMAGE;
  }
  mock_cuda.modules++;
  *out = strdup(image);
  return 0;
}

int
cuModuleUnload(void *module) {
  note("unload ");
  mock_cuda.modules--;
  free(module);
  return 0;
}

/* A function is a place in its module's text. */
int
cuModuleGetFunction(void **out, void *module, const char *name) {
  char entry[64];
  snprintf(entry, sizeof entry, ".entry %s", name);
  *out = strstr(module, entry);
  return *out ? 0 : broken("no such kernel in the module");
}

enum { PARAMETERS_MAX = 64 };

/* Parameters of a function, from its text. */
static int
parameters_of(const char *function) {
  int n = 0;
  const char *end = strchr(function, ')');
  for (const char *p = function; (p = strstr(p, ".param")) && p < end; p++) n++;
  return n < PARAMETERS_MAX ? n : PARAMETERS_MAX;
}

static int
launch(const char *function, unsigned groups, unsigned group, unsigned shared,
       const unsigned long long *words) {
  const char *name = function + strlen(".entry ");
  note("launch:%.*s:%ux%u", (int)strcspn(name, "( \n"), name, groups, group);
  note(shared ? "+%u " : " ", shared);
  note_args(words, parameters_of(function));
  mock_cuda.launches++;
  milliseconds++;
  if (mock_cuda.launches == mock_cuda.fail_at) return 700;
  return mock_cuda.fail_launch ? 700 : 0;
}

/* The parameters of a launch, checked and taken. */
static int
take(const char *function, const unsigned groups[3], const unsigned group[3],
     void **args, unsigned long long *words) {
  if (groups[1] != 1 || groups[2] != 1 || group[1] != 1 || group[2] != 1 ||
      !groups[0] || !group[0] || group[0] > 1024)
    return broken("a grid that no card takes");
  if (!args || !args[0]) return broken("a launch without arguments");
  for (int k = 0; k < parameters_of(function); k++)
    memcpy(&words[k], args[k], sizeof *words);
  return 0;
}

int
cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
               unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s,
               void **args, void **extra) {
  unsigned long long words[PARAMETERS_MAX];
  NEEDS_CONTEXT;
  NEEDS_STREAM(s);
  (void)extra;
  int rc = take(function, (unsigned[]){gx, gy, gz}, (unsigned[]){bx, by, bz},
                args, words);
  return rc ? rc : launch(function, gx, bx, shared, words);
}

/* ---- events -------------------------------------------------------------- */

struct event {
  long long at; /* -1: not recorded */
};

static int
record(struct event *e) {
  note("event ");
  e->at = milliseconds;
  return 0;
}

int
cuEventCreate(void **out, unsigned flags) {
  struct event *e = malloc(sizeof *e);
  NEEDS_CONTEXT;
  if (flags) return broken("cuEventCreate: events that keep no time");
  e->at = -1;
  mock_cuda.events++;
  *out = e;
  return 0;
}

int
cuEventDestroy_v2(void *event) {
  mock_cuda.events--;
  free(event);
  return 0;
}

int
cuEventRecord(void *event, void *s) {
  NEEDS_STREAM(s);
  return record(event);
}

int
cuEventElapsedTime(float *out, void *from, void *to) {
  const struct event *a = from, *b = to;
  if (!a || !b || a->at < 0 || b->at < 0) return 400; /* not recorded */
  *out = (float)(b->at - a->at);
  return 0;
}

/* ---- graphs -------------------------------------------------------------- */

#ifndef MOCK_OLD

struct kernel_parameters {
  void *func;
  unsigned grid[3], block[3], shared;
  void **kernel_params, **extra;
};
struct copy_parameters {
  size_t src_x, src_y, src_z, src_lod;
  unsigned src_type;
  const void *src_host;
  unsigned long long src_device;
  void *src_array, *reserved0;
  size_t src_pitch, src_height;
  size_t dst_x, dst_y, dst_z, dst_lod;
  unsigned dst_type;
  void *dst_host;
  unsigned long long dst_device;
  void *dst_array, *reserved1;
  size_t dst_pitch, dst_height;
  size_t width, height, depth;
};

struct zero_parameters {
  unsigned long long dst;
  size_t pitch;
  unsigned value, unit;
  size_t width, height;
};

enum { NODES_MAX = 256 };
struct node {
  char *function;      /* NULL: a copy, or */
  struct event *event; /* an event, or */
  bool zero;           /* zeros */
  unsigned groups, group, shared;
  unsigned long long words[PARAMETERS_MAX];
  void *to;
  const void *from;
  size_t bytes;
  int up;
};
struct graph {
  struct node nodes[NODES_MAX];
  int n;
};

int
cuGraphCreate(void **out, unsigned flags) {
  NEEDS_CONTEXT;
  if (flags) return broken("cuGraphCreate: flags");
  mock_cuda.graphs++;
  *out = calloc(1, sizeof(struct graph));
  return 0;
}

int
cuGraphDestroy(void *graph) {
  mock_cuda.graphs--;
  free(graph);
  return 0;
}

static int
kernel_set(struct node *n, const struct kernel_parameters *p) {
  if (!p->func || p->extra) return broken("a kernel's node");
  if (n->function && n->function != p->func)
    return broken("another kernel in a node");
  n->function = p->func;
  n->groups = p->grid[0];
  n->group = p->block[0];
  n->shared = p->shared;
  return take(n->function, p->grid, p->block, p->kernel_params, n->words);
}

static int
copy_set(struct node *n, const struct copy_parameters *p) {
  n->up = p->src_type == 1;
  n->from = n->up ? p->src_host : (const void *)(uintptr_t)p->src_device;
  n->to = (void *)(uintptr_t)p->dst_device;
  n->bytes = p->width;
  if ((p->src_type != 1 && p->src_type != 2) || p->dst_type != 2 ||
      p->height != 1 || p->depth != 1 || p->src_x || p->dst_x)
    return broken("a copy's node");
  return 0;
}

static int
zero_set(struct node *n, const struct zero_parameters *p) {
  n->zero = true;
  n->to = (void *)(uintptr_t)p->dst;
  n->bytes = p->width;
  if (p->value || p->unit != 1 || p->height != 1)
    return broken("a fill's node");
  return 0;
}

/* Room for one more, which must follow the last one. */
static int
node_new(void **out, struct graph *g, void **after, size_t nafter) {
  NEEDS_CONTEXT;
  if (mock_cuda.fail_graph) return OUT_OF_MEMORY;
  if (nafter != (g->n > 0) || (g->n && *after != &g->nodes[g->n - 1]))
    return broken("a graph that is no chain");
  *out = &g->nodes[g->n++];
  return 0;
}

int
cuGraphAddKernelNode(void **out, void *graph, void **after, size_t nafter,
                     const void *p) {
  int rc = node_new(out, graph, after, nafter);
  return rc ? rc : kernel_set(*out, p);
}

int
cuGraphAddMemcpyNode(void **out, void *graph, void **after, size_t nafter,
                     const void *p, void *c) {
  int rc = node_new(out, graph, after, nafter);
  if (c != &context) return broken("a node of another context");
  return rc ? rc : copy_set(*out, p);
}

int
cuGraphAddMemsetNode(void **out, void *graph, void **after, size_t nafter,
                     const void *p, void *c) {
  int rc = node_new(out, graph, after, nafter);
  if (c != &context) return broken("a node of another context");
  return rc ? rc : zero_set(*out, p);
}

int
cuGraphAddEventRecordNode(void **out, void *graph, void **after, size_t nafter,
                          void *event) {
  int rc = node_new(out, graph, after, nafter);
  if (!rc) ((struct node *)*out)->event = event;
  return rc;
}

struct exec {
  const struct graph *of;
  struct graph now;
};

int
cuGraphInstantiateWithFlags(void **out, void *graph, unsigned long long flags) {
  NEEDS_CONTEXT;
  if (flags) return broken("cuGraphInstantiateWithFlags: flags");
  struct exec *x = malloc(sizeof *x);
  *x = (struct exec){graph, *(struct graph *)graph};
  note("made%d ", x->now.n);
  mock_cuda.execs++;
  *out = x;
  return 0;
}

int
cuGraphExecDestroy(void *exec) {
  mock_cuda.execs--;
  free(exec);
  return 0;
}

/* The node of an executable graph that stands for this one. */
static struct node *
node_of(struct exec *x, const struct node *n) {
  long k = n - x->of->nodes;
  note("set%ld ", k);
  if (k >= 0 && k < x->now.n) return &x->now.nodes[k];
  broken("a node of another graph");
  return &x->now.nodes[0];
}

int
cuGraphExecKernelNodeSetParams(void *exec, void *node, const void *p) {
  struct node *n = node_of(exec, node);
  return n->function ? kernel_set(n, p) : broken("a copy set as a kernel");
}

int
cuGraphExecMemcpyNodeSetParams(void *exec, void *node, const void *p, void *c) {
  struct node *n = node_of(exec, node);
  if (c != &context) return broken("a node of another context");
  if (n->function || n->event || n->zero)
    return broken("what is no copy set as one");
  return copy_set(n, p);
}

int
cuGraphExecMemsetNodeSetParams(void *exec, void *node, const void *p, void *c) {
  struct node *n = node_of(exec, node);
  if (c != &context) return broken("a node of another context");
  return n->zero ? zero_set(n, p) : broken("what is no fill set as one");
}

int
cuGraphExecEventRecordNodeSetEvent(void *exec, void *node, void *event) {
  struct node *n = node_of(exec, node);
  if (!n->event) return broken("what is no event set as one");
  n->event = event;
  return 0;
}

static int
run_node(const struct node *n, void *s) {
  if (n->function)
    return launch(n->function, n->groups, n->group, n->shared, n->words);
  if (n->event) return record(n->event);
  if (n->zero) return cuMemsetD8Async(n->to, 0, n->bytes, s);
  return copy(n->up ? "up" : "copy", n->to, n->from, n->bytes, s);
}

int
cuGraphLaunch(void *exec, void *s) {
  struct exec *x = exec;
  int rc = 0;
  NEEDS_STREAM(s);
  note("graph%d: ", x->now.n);
  for (int k = 0; !rc && k < x->now.n; k++) rc = run_node(&x->now.nodes[k], s);
  return rc;
}

#endif
