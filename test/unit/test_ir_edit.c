/* ir/edit.c and ir/deps.c: what may change places, and what becomes of versions
 * when it does. */
#include "ir_make.h"

#include <signal.h>

enum { MAX_DATS = 8 };

static void
start_values(uint64_t *dats) {
  for (uint64_t d = 0; d < MAX_DATS; d++) dats[d] = mix(d, 99);
}

/* A random order that keeps b behind a wherever ir_dep(a, b) says so. */
static ir_ref *
random_order(const struct ir_trace *t, uint64_t *r) {
  ir_ref *perm = mem_alloc(t->nnodes, sizeof *perm);
  for (ir_ref n = 0; n < t->nnodes; n++) perm[n] = IR_NONE;
  for (ir_ref place = 0; place < t->nnodes;) {
    ir_ref b = rnd(r, t->nnodes);
    bool ready = perm[b] == IR_NONE;
    for (ir_ref a = 0; a < b && ready; a++)
      ready = perm[a] != IR_NONE || !ir_dep(t, a, b, NULL);
    if (ready) perm[b] = place++;
  }
  return perm;
}

/* ---- reordering -------------------------------------------------------- */

Test(reorder, any_order_that_deps_allow_computes_the_same) {
  uint64_t r = 1;
  uint32_t moved = 0;
  for (int round = 0; round < 400; round++) {
    struct ir_trace *t =
        random_trace(&r, 2 + rnd(&r, MAX_DATS - 1), 1 + rnd(&r, 30));
    uint64_t want[MAX_DATS], memory[MAX_DATS], versions[MAX_DATS];
    uint64_t start[MAX_DATS];
    start_values(start);
    start_values(want);
    start_values(memory);
    run_trace(t, want);
    ir_ref *perm = random_order(t, &r);
    for (ir_ref n = 0; n < t->nnodes; n++) moved += perm[n] != n;
    ir_reorder(t, perm, t->nnodes);
    assert_legal(t);
    run_trace(t, memory);
    run_versions(t, start, versions);
    for (ir_ref d = 0; d < t->ndats; d++) {
      cr_assert_eq(memory[d], want[d], "round %d, dat %u", round, d);
      cr_assert_eq(versions[d], want[d], "round %d, dat %u", round, d);
    }
    free(perm);
    ir_trace_free(t);
  }
  cr_assert_gt(moved, 1000); /* else nothing was tried */
}

Test(reorder, increments_change_places_and_versions) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0);
  LOOP(t, arg(t, q, ACC_INC));
  LOOP(t, arg(t, q, ACC_INC));
  LOOP(t, arg(t, q, ACC_INC));
  for (ir_ref n = 0; n < 3; n++) t->nodes[n].tag = n;
  LOOP(t, arg(t, q, ACC_READ));
  ir_reorder(t, (ir_ref[]){2, 0, 1, 3}, 4);
  static const uint32_t tags[] = {1, 2, 0};
  for (ir_ref n = 0; n < 3; n++) {
    cr_assert_eq(t->nodes[n].tag, tags[n]);
    cr_assert_eq(in_of(t, n, 0), n);
    cr_assert_eq(out_of(t, n, 0), n + 1);
  }
  cr_assert_eq(in_of(t, 3, 0), 3);
  assert_legal(t);
  ir_trace_free(t);
}

Test(reorder, dropped_writes_leave_no_gap) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0);
  LOOP(t, arg(t, q, ACC_WRITE));
  LOOP(t, arg(t, q, ACC_WRITE));
  LOOP(t, arg(t, q, ACC_READ));
  ir_reorder(t, (ir_ref[]){IR_NONE, 0, 1}, 2);
  cr_assert_eq(t->nnodes, 2);
  cr_assert_eq(out_of(t, 0, 0), 1);
  cr_assert_eq(in_of(t, 1, 0), 1);
  cr_assert_eq(t->dats[q].nvalues, 2);
  assert_legal(t);
  ir_trace_free(t);
}

Test(reorder, dropping_what_is_used_is_a_bug, .signal = SIGABRT) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0);
  LOOP(t, arg(t, q, ACC_WRITE));
  LOOP(t, arg(t, q, ACC_READ));
  ir_reorder(t, (ir_ref[]){IR_NONE, 0}, 1);
}

Test(reorder, aliases_survive) {
  struct ir_trace *t = make_trace();
  ir_ref a = make_dat(t, "a", 0), b = make_dat(t, "b", 0);
  LOOP(t, arg(t, a, ACC_WRITE));
  LOOP(t, arg(t, a, ACC_WRITE));
  PLAIN(t, IR_ALIAS, arg(t, a, ACC_READ), arg(t, b, ACC_WRITE));
  ir_reorder(t, (ir_ref[]){IR_NONE, 0, 1}, 2);
  cr_assert_eq(ir_same(t, t->dats[b].last), t->dats[a].last);
  assert_legal(t);
  ir_trace_free(t);
}

/* ---- insertion --------------------------------------------------------- */

static struct ir_node
plain(enum ir_op op, uint32_t nargs) {
  return (struct ir_node){.op = (uint8_t)op,
                          .kernel = IR_NONE,
                          .set = IR_NONE,
                          .nargs = nargs,
                          .region = IR_NONE};
}

Test(insert, takes_the_versions_of_its_place) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0), p = make_dat(t, "p", 0);
  LOOP(t, arg(t, q, ACC_WRITE));
  LOOP(t, arg(t, q, ACC_RW));
  ir_ref n = ir_insert_node(t, 1, plain(IR_COPY, 2),
                            (struct ir_arg[]){arg(t, q, ACC_READ),
                                              arg(t, p, ACC_WRITE)});
  cr_assert_eq(n, 1);
  cr_assert_eq(in_of(t, 1, 0), 1);
  cr_assert_eq(out_of(t, 1, 1), 1);
  cr_assert_eq(in_of(t, 2, 0), 1);
  assert_legal(t);
  ir_trace_free(t);
}

Test(insert, later_versions_move_up) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0);
  LOOP(t, arg(t, q, ACC_WRITE));
  LOOP(t, arg(t, q, ACC_WRITE));
  LOOP(t, arg(t, q, ACC_READ));
  struct ir_arg w = arg(t, q, ACC_WRITE);
  ir_insert_node(t, 1, loop_of(1), &w);
  cr_assert_eq(out_of(t, 1, 0), 2);
  cr_assert_eq(out_of(t, 2, 0), 3);
  cr_assert_eq(in_of(t, 3, 0), 3);
  assert_legal(t);
  ir_trace_free(t);
}

Test(insert, regions_behind_it_move_up) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0);
  LOOP(t, arg(t, q, ACC_READ));
  LOOP(t, arg(t, q, ACC_READ));
  for (ir_ref n = 0; n < 2; n++) {
    struct ir_region r = {.first = n, .count = 1};
    VEC_PUSH(t->regions, t->nregions, t->capregions, r);
    t->nodes[n].region = n;
  }
  struct ir_arg w = arg(t, q, ACC_READ);
  ir_insert_node(t, 1, loop_of(1), &w);
  cr_assert_eq(t->regions[0].first, 0);
  cr_assert_eq(t->regions[1].first, 2);
  cr_assert_eq(t->nodes[1].region, IR_NONE);
  assert_legal(t);
  ir_trace_free(t);
}

/* ---- dependences ------------------------------------------------------- */

/* Every pair of accesses to one dat against the words of access.def. */
Test(deps, pairs_of_accesses) {
  for (int a = 0; a < ACC_WORK; a++)
    for (int b = 0; b < ACC_WORK; b++) {
      const struct access_info *x = &access_info[a], *y = &access_info[b];
      struct ir_trace *t = make_trace();
      ir_ref q = make_dat(t, "q", 0);
      LOOP(t, arg(t, q, (enum access)a));
      LOOP(t, arg(t, q, (enum access)b));
      unsigned want = (x->writes && y->reads ? IR_DEP_RAW : 0) |
                      (x->reads && y->writes ? IR_DEP_WAR : 0) |
                      (x->writes && y->writes ? IR_DEP_WAW : 0);
      if (a == b && x->commutes) want = 0;
      cr_assert_eq(ir_dep(t, 0, 1, NULL), want, "%s, %s", x->text, y->text);
      ir_trace_free(t);
    }
}

Test(deps, the_last_of_a_chain_stays_behind_all_of_it) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0), v;
  LOOP(t, arg(t, q, ACC_INC));
  LOOP(t, arg(t, q, ACC_INC));
  LOOP(t, arg(t, q, ACC_READ));
  cr_assert_eq(ir_dep(t, 0, 2, &v), IR_DEP_RAW);
  cr_assert_eq(v, t->dats[q].last);
  cr_assert_eq(ir_dep(t, 1, 2, NULL), IR_DEP_RAW);
  ir_trace_free(t);
}

Test(deps, views_of_one_storage_do_not_commute) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0), v = make_view(t, "v", q);
  LOOP(t, arg(t, q, ACC_INC));
  LOOP(t, arg(t, v, ACC_INC));
  cr_assert_eq(ir_dep(t, 0, 1, NULL), IR_DEP_RAW | IR_DEP_WAR | IR_DEP_WAW);
  ir_trace_free(t);
}

Test(deps, views_may_be_read_in_any_order) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0), v = make_view(t, "v", q);
  LOOP(t, arg(t, q, ACC_READ));
  LOOP(t, arg(t, v, ACC_READ));
  cr_assert_eq(ir_dep(t, 0, 1, NULL), 0);
  ir_trace_free(t);
}

Test(deps, other_dats_are_free) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0), p = make_dat(t, "p", 0), v;
  LOOP(t, arg(t, q, ACC_RW));
  LOOP(t, arg(t, p, ACC_RW));
  cr_assert_eq(ir_dep(t, 0, 1, &v), 0);
  cr_assert_eq(v, IR_NONE);
  ir_trace_free(t);
}

Test(deps, second_names_alone_are_none) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0), p = make_dat(t, "p", 0);
  PLAIN(t, IR_ALIAS, arg(t, q, ACC_READ), arg(t, p, ACC_WRITE));
  LOOP(t, arg(t, p, ACC_READ));
  LOOP(t, arg(t, q, ACC_WRITE));
  cr_assert_eq(ir_dep(t, 1, 2, NULL), 0);
  ir_trace_free(t);
}

Test(deps, effects_keep_their_place) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0), p = make_dat(t, "p", 0);
  struct ir_kernel io = {
      .name = "io", .flags = IR_KERNEL_EFFECTS, .copy_from = -1, .copy_to = -1};
  ir_ref k = ir_add_kernel(t, io);
  LOOP(t, arg(t, q, ACC_READ));
  struct ir_node n = loop_of(1);
  n.kernel = k;
  struct ir_arg a = arg(t, p, ACC_READ);
  ir_add_node(t, n, &a);
  LOOP(t, arg(t, q, ACC_READ));
  cr_assert_eq(ir_dep(t, 0, 1, NULL), IR_DEP_EFFECT);
  cr_assert_eq(ir_dep(t, 1, 2, NULL), IR_DEP_EFFECT);
  cr_assert_eq(ir_dep(t, 0, 2, NULL), 0);
  ir_trace_free(t);
}

Test(deps, a_free_stays_behind_readers) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", IR_DAT_TEMP);
  LOOP(t, arg(t, q, ACC_READ));
  PLAIN(t, IR_FREE, arg(t, q, ACC_READ));
  cr_assert_eq(ir_dep(t, 0, 1, NULL), IR_DEP_WAR);
  ir_trace_free(t);
}

/* ---- users ------------------------------------------------------------- */

static bool
reads(const struct ir_trace *t, ir_ref n, ir_ref v) {
  for (uint32_t k = 0; k < t->nodes[n].nargs; k++)
    if (arg_of(t, n, k)->in == v) return true;
  return false;
}

Test(uses, each_reader_once_and_in_order) {
  uint64_t r = 3;
  struct ir_trace *t = random_trace(&r, 4, 60);
  LOOP(t, arg(t, 0, ACC_READ), arg(t, 0, ACC_READ));
  struct ir_uses u = ir_uses_build(t);
  for (ir_ref v = 0; v < t->nvalues; v++) {
    uint32_t at = u.start[v];
    for (ir_ref n = 0; n < t->nnodes; n++)
      if (reads(t, n, v)) {
        cr_assert_lt(at, u.start[v + 1]);
        cr_assert_eq(u.users[at++], n);
      }
    cr_assert_eq(at, u.start[v + 1]);
  }
  ir_uses_free(&u);
  ir_trace_free(t);
}

Test(uses, of_an_empty_trace) {
  struct ir_trace *t = ir_trace_new("t");
  struct ir_uses u = ir_uses_build(t);
  cr_assert_eq(u.start[0], 0);
  ir_uses_free(&u);
  ir_trace_free(t);
}
