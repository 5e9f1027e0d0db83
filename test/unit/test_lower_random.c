/* Lowering random traces: whatever the passes make of them and whatever the
 * layout, every word is that of the loops run one by one.
 *
 * Words are unsigned, so that sums are exact in any order. The loops are drawn
 * from what lowering distinguishes: direct and mapped reads, full writes,
 * read-write, increments here and through a map, read-write through a map,
 * copies (which become second names), sums. */
#include "test_lower.h"

enum { CELLS = 45, EDGES = 61, NC = 4, NE = 2 };

static const char kernels[] =
    "typedef unsigned T;\n"
    "void copy(const T *a, T *b) { b[0] = a[0]; b[1] = a[1]; }\n"
    "void make(const T *a, const T *b, T *c) {"
    " c[0] = 3 * a[0] + b[1]; c[1] = a[1] - 5 * b[0]; }\n"
    "void change(const T *a, T *b) {"
    " if (a[0] & 4) b[0] += a[1]; b[1] = b[0] * 7 + b[1]; }\n"
    "void add(const T *a, T *b) { b[0] += a[1]; b[1] -= 2 * a[0]; }\n"
    "void gather(const T *a, const T *b, T *e) { *e += a[0] * 9 - b[1]; }\n"
    "void scatter(const T *e, T *a, T *b) {"
    " a[0] += *e; a[1] += 3; b[1] -= *e; }\n"
    "void mix(T *a, T *b) { a[0] += 2 * b[1]; b[0] ^= a[0]; }\n"
    "void sum(const T *a, T *s) { *s += a[0] ^ a[1]; }\n";

enum { COPY, MAKE, CHANGE, ADD, GATHER, SCATTER, MIX, SUM, KERNELS };
static const char *const names[KERNELS] = {
    "copy", "make", "change", "add", "gather", "scatter", "mix", "sum"};

/* What each argument is: a cell or edge dat, direct or by map entry. */
struct shape {
  char where; /* c cell, e edge, g global */
  int entry;  /* -1 direct */
  enum access access;
};
static const struct {
  bool edges, serial;
  int nargs;
  struct shape args[3];
} shapes[KERNELS] = {
    [COPY] = {0, 0, 2, {{'c', -1, ACC_READ}, {'c', -1, ACC_WRITE}}},
    [MAKE] = {0,
              0,
              3,
              {{'c', -1, ACC_READ}, {'c', -1, ACC_READ}, {'c', -1, ACC_WRITE}}},
    [CHANGE] = {0, 0, 2, {{'c', -1, ACC_READ}, {'c', -1, ACC_RW}}},
    [ADD] = {0, 0, 2, {{'c', -1, ACC_READ}, {'c', -1, ACC_INC}}},
    [GATHER] = {1,
                0,
                3,
                {{'c', 0, ACC_READ}, {'c', 1, ACC_READ}, {'e', -1, ACC_RW}}},
    [SCATTER] = {1,
                 0,
                 3,
                 {{'e', -1, ACC_READ}, {'c', 0, ACC_INC}, {'c', 1, ACC_INC}}},
    [MIX] = {1, 1, 2, {{'c', 0, ACC_RW}, {'c', 1, ACC_RW}}},
    [SUM] = {0, 0, 2, {{'c', -1, ACC_READ}, {'g', -1, ACC_INC}}},
};

static uint32_t
draw(uint64_t *seed, uint32_t n) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*seed >> 33) % n;
}

struct refs {
  ir_ref set[2], map, cell[NC], edge[NE], sum, kernel[KERNELS];
};

static void
declare(struct ir_trace *t, uint32_t block, struct refs *r) {
  static const char *const cells[NC] = {"c0", "c1", "c2", "c3"};
  static const char *const edges[NE] = {"e0", "e1"};
  struct type u32 = {TYPE_U32, 4};
  r->set[0] = ir_add_set(t, (struct ir_set){.name = "cells", .n = CELLS});
  r->set[1] = ir_add_set(t, (struct ir_set){.name = "edges", .n = EDGES});
  r->map = ir_add_map(t, (struct ir_map){.name = "m",
                                         .from = r->set[1],
                                         .to = r->set[0],
                                         .arity = 2,
                                         .flags = IR_MAP_REPEATS});
  struct ir_dat d = {.kind = IR_DAT, .type = u32, .root = IR_NONE};
  for (int i = 0; i < NC; i++) {
    d.name = cells[i], d.set = r->set[0], d.dim = 2, d.block = block;
    r->cell[i] = ir_add_dat(t, d);
  }
  for (int i = 0; i < NE; i++) {
    d.name = edges[i], d.set = r->set[1], d.dim = 1;
    r->edge[i] = ir_add_dat(t, d);
  }
  d = (struct ir_dat){.name = "sum",
                      .kind = IR_GBL,
                      .set = IR_NONE,
                      .type = u32,
                      .dim = 1,
                      .block = 1,
                      .root = IR_NONE};
  r->sum = ir_add_dat(t, d);
  for (int i = 0; i < KERNELS; i++) {
    bool copies = i == COPY;
    struct ir_kernel k = {.name = names[i],
                          .copy_from = copies ? 0 : -1,
                          .copy_to = copies ? 1 : -1};
    r->kernel[i] = ir_add_kernel(t, k);
  }
}

/* One loop; its cell dats differ unless they are met through the map. */
static void
add_loop(struct ir_trace *t, const struct refs *r, uint64_t *seed) {
  uint32_t k = draw(seed, KERNELS), first = draw(seed, NC);
  uint32_t edge = draw(seed, NE);
  struct ir_arg args[3];
  for (int i = 0; i < shapes[k].nargs; i++) {
    const struct shape *s = &shapes[k].args[i];
    bool far = s->entry >= 0;
    args[i] = (struct ir_arg){
        .kind = s->where == 'g' ? IR_ARG_GBL : IR_ARG_DAT,
        .access = (uint8_t)s->access,
        .entry = far ? (uint32_t)s->entry : 0,
        .map = far ? r->map : IR_NONE,
        .in = IR_NONE,
        .out = IR_NONE,
        .dat = s->where == 'c' ? r->cell[(first + (far ? 0 : (uint32_t)i)) % NC]
               : s->where == 'e' ? r->edge[edge]
                                 : r->sum};
  }
  struct ir_node n = {.op = IR_LOOP,
                      .flags = shapes[k].serial ? IR_NODE_SERIAL : 0,
                      .kernel = r->kernel[k],
                      .set = r->set[shapes[k].edges],
                      .nargs = (uint32_t)shapes[k].nargs,
                      .region = IR_NONE};
  ir_add_node(t, n, args);
}

static void
make_trace(uint64_t seed, uint32_t block, struct str *text) {
  struct ir_trace *t = ir_trace_new("random");
  struct refs r;
  declare(t, block, &r);
  uint32_t n = 4 + draw(&seed, 9);
  for (uint32_t i = 0; i < n; i++) add_loop(t, &r, &seed);
  ir_add_live(t);
  ir_print(t, text);
  ir_trace_free(t);
}

enum { WORDS = NC * 2 * CELLS + NE * EDGES + 1 };

static void
run(uint64_t seed, uint32_t block, const char *pipeline, int threads,
    uint32_t *out) {
  static const char *const dats[] = {"c0", "c1", "c2", "c3", "e0", "e1"};
  struct str text = STR_INIT;
  struct lower_case c;
  uint32_t sum = 17, data[2 * CELLS + EDGES];
  idx_l table[2 * EDGES];
  make_trace(seed, block, &text);
  lower_case_init(&c, text.s, kernels);
  for (uint32_t k = 0; k < KERNELS; k++)
    c.kernels[k].nparams = (uint32_t)shapes[k].nargs;
  lower_case_passes(&c, pipeline);
  for (int i = 0; i < 2 * EDGES; i++) table[i] = (i * i + i / 3) % CELLS;
  for (int i = 0; i < 2 * CELLS + EDGES; i++) data[i] = (uint32_t)(i * i);
  lower_case_map(&c, "m", table);
  for (int i = 0; i < NC + NE; i++) lower_case_dat(&c, dats[i], data + i);
  lower_case_global(&c, "sum", &sum);
  lower_case_run(&c, threads);
  for (int i = 0; i < NC + NE; i++) {
    size_t n = i < NC ? 2 * CELLS : EDGES;
    memcpy(out, lower_case_get(&c, dats[i]), n * sizeof *out);
    out += n;
  }
  *out = sum;
  lower_case_clear(&c);
  str_clear(&text);
}

Test(lower_random, passes_and_layouts_change_no_word, .timeout = 120) {
  static const uint32_t blocks[] = {1, 0, 4, 16};
  uint32_t want[WORDS], got[WORDS];
  for (uint64_t seed = 1; seed <= 12; seed++) {
    uint32_t block = blocks[seed % 4];
    run(seed, 1, "fuse{max=1},storage{reuse=0}", 1, want);
    run(seed, block, "rename,dce,fuse,storage", 1 + seed % 2, got);
    for (int i = 0; i < WORDS; i++)
      cr_assert_eq(got[i], want[i], "seed %d block %u: word %d", (int)seed,
                   block, i);
  }
}

/* The reference itself, against loops written out: seed by seed the single
 * regions above are the meaning of a trace only if this holds. */
Test(lower_random, single_loops_do_what_c_does) {
  struct lower_case c;
  lower_case_init(&c,
                  "trace @t {\n set %cells n=45\n set %edges n=61\n"
                  " map %m : %edges -> %cells x2 repeats\n"
                  " dat %a : %cells u32 x2\n dat %e : %edges u32 x1\n"
                  " kernel @gather\n kernel @scatter\n kernel @mix\n"
                  " %e.1 = loop @gather over %edges (read %a.0 via %m[0],"
                  " read %a.0 via %m[1], rw %e.0)\n"
                  " %a.1 = loop @scatter over %edges (read %e.1,"
                  " inc %a.0 via %m[0], inc %a.0 via %m[1])\n"
                  " %a.2 = loop @mix over %edges (rw %a.1 via %m[0],"
                  " rw %a.1 via %m[1]) serial\n live %a.2, %e.1\n}\n",
                  kernels);
  lower_case_passes(&c, "fuse{max=1},storage");
  idx_l m[2 * EDGES];
  uint32_t a[2 * CELLS], e[EDGES];
  for (int i = 0; i < 2 * EDGES; i++) m[i] = (i * i + i / 3) % CELLS;
  for (int i = 0; i < 2 * CELLS; i++) a[i] = (uint32_t)i * 77;
  for (int i = 0; i < EDGES; i++) e[i] = (uint32_t)i;
  lower_case_map(&c, "m", m);
  lower_case_dat(&c, "a", a);
  lower_case_dat(&c, "e", e);
  lower_case_run(&c, 1);
  for (int i = 0; i < EDGES; i++)
    e[i] += a[2 * m[2 * i]] * 9 - a[2 * m[2 * i + 1] + 1];
  for (int i = 0; i < EDGES; i++) {
    uint32_t *p = a + 2 * m[2 * i], *q = a + 2 * m[2 * i + 1];
    p[0] += e[i], p[1] += 3, q[1] -= e[i];
  }
  for (int i = 0; i < EDGES; i++) {
    uint32_t *p = a + 2 * m[2 * i], *q = a + 2 * m[2 * i + 1];
    p[0] += 2 * q[1], q[0] ^= p[0];
  }
  const uint32_t *got = (const uint32_t *)(const void *)lower_case_get(&c, "a");
  for (int i = 0; i < 2 * CELLS; i++) cr_assert_eq(got[i], a[i], "a[%d]", i);
  lower_case_clear(&c);
}
