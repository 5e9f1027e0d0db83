/* Verifier: arguments against declarations and operations. */
#include "ir/check.h"

#include <assert.h>

/* ---- one argument ------------------------------------------------------ */

static void
check_index(struct ir_check *c, ir_ref n, uint32_t k) {
  const struct ir_arg *a = &ir_args(c->t, &c->t->nodes[n])[k];
  const struct ir_map *m = &c->t->maps[a->map];
  if (a->kind == IR_ARG_LENGTH) return;
  if (!m->arity && a->entry && a->vector)
    ir_bad_arg(c, n, k, "rows of %%%s have a length each: vectors begin at 0",
               m->name);
  if (m->arity && (uint64_t)a->entry + ir_arg_count(a) > m->arity)
    ir_bad_arg(c, n, k, "index %u of map %%%s is outside its %u entries",
               a->entry + a->vector, m->name, m->arity);
}

/* An argument whose path begins with the row of the loop. */
static void
check_each(struct ir_check *c, ir_ref n, uint32_t k) {
  const struct ir_arg *a = &ir_args(c->t, &c->t->nodes[n])[k];
  if (a->each != c->t->nodes[n].each)
    ir_bad_arg(c, n, k, "it begins with another row than the loop's");
  if (a->kind != IR_ARG_DAT)
    ir_bad_arg(c, n, k, "only dats are reached from a row's element");
  if (a->map != IR_NONE && ir_arg_writes(a) && !a->own &&
      !ir_arg_column_own(c->t, a))
    ir_bad_arg(c, n, k,
               "it writes two relations away: one that is composed of "
               "them tells what meets");
}

/* What each element of a row brings to the element whose row it is. */
static void
check_own(struct ir_check *c, ir_ref n, uint32_t k) {
  const struct ir_trace *t = c->t;
  const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
  const struct ir_map *rows = a->each ? &t->maps[a->each - 1] : NULL;
  if (!ir_combines(a->access))
    ir_bad_arg(c, n, k,
               "only increments and extremes are taken by their own element");
  if (!rows || rows->rows != IR_ROWS_INVERSE || rows->of[0] != a->map)
    ir_bad_arg(c, n, k, "its rows are not the inverse of its map");
  else if (t->maps[a->map].flags & IR_MAP_REPEATS)
    ir_bad_arg(c, n, k,
               "rows of map %%%s name an element twice: it would be taken "
               "twice as often",
               t->maps[a->map].name);
}

/* What is known of the way from the row's element. */
static void
check_shift(struct ir_check *c, ir_ref n, uint32_t k) {
  const struct ir_arg *a = &ir_args(c->t, &c->t->nodes[n])[k];
  if (!a->each || a->map == IR_NONE || a->own || a->vector)
    ir_bad_arg(c, n, k, "a shift, but no one entry behind a row's element");
}

/* The element that the argument names must be of the dat's set. */
static void
check_place(struct ir_check *c, ir_ref n, uint32_t k) {
  const struct ir_trace *t = c->t;
  const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
  ir_ref set = t->nodes[n].set;
  assert(set < t->nsets);
  if (a->own) check_own(c, n, k);
  if (a->shift) check_shift(c, n, k);
  if (a->each) {
    check_each(c, n, k);
    set = t->maps[a->each - 1].to;
  }
  if (a->map != IR_NONE) {
    const struct ir_map *m = &t->maps[a->map];
    if (!ir_arg_info[a->kind].map)
      ir_bad_arg(c, n, k, "only dats and numbers go through a map");
    if (a->each && !m->arity)
      ir_bad_arg(c, n, k, "rows of any length behind a row's element");
    if (m->from != set)
      ir_bad_arg(c, n, k, "map %%%s starts at %%%s, the loop runs over %%%s",
                 m->name, t->sets[m->from].name, t->sets[set].name);
    check_index(c, n, k);
    set = m->to;
  }
  if (a->kind == IR_ARG_LENGTH && a->map == IR_NONE)
    ir_bad_arg(c, n, k, "the length of no map's row");
  if (a->kind == IR_ARG_DAT && t->dats[a->dat].set != set)
    ir_bad_arg(c, n, k, "dat %%%s lies on %%%s, it is used at %%%s",
               t->dats[a->dat].name, t->sets[t->dats[a->dat].set].name,
               t->sets[set].name);
}

static void
check_access(struct ir_check *c, ir_ref n, uint32_t k) {
  const struct ir_trace *t = c->t;
  const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
  if (!ir_arg_has_value(a)) {
    bool scratch = a->kind == IR_ARG_PARAM && a->access == ACC_WORK;
    if (a->access != ACC_READ && !scratch)
      ir_bad_arg(c, n, k, "a param, a number or off is only read");
    if (a->in != IR_NONE || a->out != IR_NONE)
      ir_bad_arg(c, n, k, "a param, a number or off has no versions");
    return;
  }
  if (a->kind == IR_ARG_INFO && a->access != ACC_RW)
    ir_bad_arg(c, n, k, "the access of a payload is rw");
  if (ir_combines(a->access) && type_class(t->dats[a->dat].type) == 'B')
    ir_bad_arg(c, n, k, "%s needs arithmetic, %%%s is of type %s",
               access_info[a->access].text, t->dats[a->dat].name,
               type_text(t->dats[a->dat].type));
}

/* `in` and `out` are there exactly if the access asks for them. */
static void
check_operands(struct ir_check *c, ir_ref n, uint32_t k) {
  const struct ir_trace *t = c->t;
  const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
  const struct access_info *acc = &access_info[a->access];
  if (!ir_arg_has_value(a)) return;
  ir_ref root = ir_root(t, a->dat);
  const char *name = t->dats[root].name;
  if (acc->reads && a->in == IR_NONE)
    ir_bad_arg(c, n, k, "%s of %%%s names no version", acc->text, name);
  if (!acc->reads && !acc->writes && a->in != IR_NONE)
    ir_bad_arg(c, n, k, "%s of %%%s needs no version", acc->text, name);
  if (a->in != IR_NONE && t->values[a->in].dat != root)
    ir_bad_arg(c, n, k, "it names a version of another storage than %%%s",
               name);
  if (acc->writes != (a->out != IR_NONE))
    ir_bad_arg(c, n, k,
               acc->writes ? "%s of %%%s defines no version"
                           : "%s of %%%s defines a version",
               acc->text, name);
  if (a->out != IR_NONE && t->values[a->out].dat != root)
    ir_bad_arg(c, n, k, "it defines a version of another storage than %%%s",
               name);
}

static void
check_info(struct ir_check *c, ir_ref n, uint32_t k) {
  const struct ir_node *node = &c->t->nodes[n];
  const struct ir_arg *a = ir_args(c->t, node);
  if (a[k].kind != IR_ARG_INFO) return;
  uint32_t of = a[k].info_of;
  bool ok = of < node->nargs && a[of].kind == IR_ARG_GBL &&
            (a[of].access == ACC_MIN || a[of].access == ACC_MAX);
  if (!ok)
    ir_bad_arg(c, n, k, "info of argument %u, which is no min or max", of);
}

/* ---- two arguments ----------------------------------------------------- */

/* A scan reads other elements of its column than that which it writes, as they
 * are then. */
static bool
reads_column(const struct ir_trace *t, const struct ir_arg *x,
             const struct ir_arg *y) {
  return x->access == ACC_READ && x->map != IR_NONE && x->map != y->map &&
         ir_arg_in_column(t, x) && ir_arg_column_own(t, y);
}

static void
check_pair(struct ir_check *c, ir_ref n, uint32_t j, uint32_t k) {
  const struct ir_trace *t = c->t;
  const struct ir_arg *x = &ir_args(t, &t->nodes[n])[j];
  const struct ir_arg *y = &ir_args(t, &t->nodes[n])[k];
  if (!ir_arg_has_value(x) || !ir_arg_has_value(y)) return;
  if (ir_root(t, x->dat) != ir_root(t, y->dat)) return;
  const char *name = t->dats[ir_root(t, x->dat)].name;
  bool free_in = x->in == IR_NONE || y->in == IR_NONE;
  bool both_write = x->access == ACC_WRITE && y->access == ACC_WRITE;
  if (free_in ? both_write && x->in != y->in : x->in != y->in)
    ir_bad_arg(c, n, k, "it needs another version of %%%s than argument %u",
               name, j);
  if (x->out != IR_NONE && y->out != IR_NONE && x->out != y->out)
    ir_bad_arg(c, n, k, "it defines another version of %%%s than argument %u",
               name, j);
  if (x->dat == y->dat && t->nodes[n].op == IR_LOOP && !reads_column(t, x, y) &&
      !reads_column(t, y, x) && (x->access != y->access || x->kind != y->kind))
    ir_bad_arg(c, n, k, "%s of %%%s, but argument %u is %s",
               access_info[y->access].text, t->dats[y->dat].name, j,
               access_info[x->access].text);
  if (x->dat == y->dat && x->own != y->own)
    ir_bad_arg(c, n, k, "it adds to %%%s in another way than argument %u", name,
               j);
}

/* ---- operations -------------------------------------------------------- */

/* What the arguments of an operation other than LOOP must be. */
static const struct op_shape {
  uint8_t op, kinds, access;
} op_shapes[][2] = {
    [IR_COPY] = {{IR_COPY, 1 << IR_ARG_DAT, ACC_READ},
                 {IR_COPY, 1 << IR_ARG_DAT, ACC_WRITE}},
    [IR_ALIAS] = {{IR_ALIAS, 1 << IR_ARG_DAT, ACC_READ},
                  {IR_ALIAS, 1 << IR_ARG_DAT, ACC_WRITE}},
    [IR_SET] = {{IR_SET, 1 << IR_ARG_PARAM, ACC_READ},
                {IR_SET, 1 << IR_ARG_GBL, ACC_WRITE}},
    [IR_FETCH] = {{IR_FETCH, 1 << IR_ARG_DAT | 1 << IR_ARG_GBL, ACC_READ}},
    [IR_LIVE] = {{IR_LIVE, 1 << IR_ARG_DAT | 1 << IR_ARG_GBL, ACC_READ}},
    [IR_FREE] = {{IR_FREE, 1 << IR_ARG_DAT | 1 << IR_ARG_GBL, ACC_READ}},
    [IR_UPLOAD] = {{IR_UPLOAD, 1 << IR_ARG_DAT, ACC_READ}},
    [IR_DOWNLOAD] = {{IR_DOWNLOAD, 1 << IR_ARG_DAT, ACC_READ}},
    [IR_BEGIN] = {{IR_BEGIN, 1 << IR_ARG_GBL, ACC_READ}},
    [IR_REDUCE] = {{IR_REDUCE, 1 << IR_ARG_GBL, ACC_READ}},
    [IR_EXCHANGE] = {{IR_EXCHANGE, 1 << IR_ARG_DAT, ACC_READ}},
};

static void
check_op_arg(struct ir_check *c, ir_ref n, uint32_t k) {
  assert(c->t->nodes[n].op != IR_LOOP);
  const struct ir_trace *t = c->t;
  const struct ir_node *node = &t->nodes[n];
  const struct ir_arg *a = &ir_args(t, node)[k];
  const struct op_shape *s =
      &op_shapes[node->op][ir_op_info[node->op].max_args == 2 ? k : 0];
  if (!(s->kinds >> a->kind & 1) || a->access != s->access)
    ir_bad_arg(c, n, k, "not what %s takes", ir_op_info[node->op].text);
  if (a->map != IR_NONE)
    ir_bad_arg(c, n, k, "%s goes through no map", ir_op_info[node->op].text);
  if (a->access == ACC_WRITE && a->in != IR_NONE)
    ir_bad_arg(c, n, k, "%s writes the whole: no old version shows through",
               ir_op_info[node->op].text);
}

/* COPY and ALIAS: shapes; SET: type and size. */
static void
check_two(struct ir_check *c, ir_ref n) {
  const struct ir_trace *t = c->t;
  const struct ir_arg *a = ir_args(t, &t->nodes[n]);
  if (a[0].dat >= t->ndats || a[1].dat >= t->ndats) return;
  const struct ir_dat *x = &t->dats[a[0].dat], *y = &t->dats[a[1].dat];
  bool fits = t->nodes[n].op == IR_SET
                  ? type_same(x->type, y->type) && x->dim == y->dim
                  : ir_same_shape(x, y);
  if (!fits)
    ir_bad_node(c, n, "%%%s and %%%s have different shapes", x->name, y->name);
}

static void
check_plain_node(struct ir_check *c, ir_ref n) {
  const struct ir_trace *t = c->t;
  const struct ir_node *node = &t->nodes[n];
  const struct ir_op_info *op = &ir_op_info[node->op];
  if ((int64_t)node->nargs < op->min_args ||
      (op->max_args >= 0 && (int64_t)node->nargs > op->max_args)) {
    ir_bad_node(c, n, "it has %u arguments", node->nargs);
    return;
  }
  for (uint32_t k = 0; k < node->nargs; k++) check_op_arg(c, n, k);
  if (op->max_args == 2) check_two(c, n);
  if ((node->op == IR_UPLOAD || node->op == IR_DOWNLOAD) &&
      !target_is_device(node->target))
    ir_bad_node(c, n, "data move to or from a device, it names none");
  const struct ir_arg *a = ir_args(t, node);
  if (node->op == IR_FREE && a->kind == IR_ARG_DAT &&
      !(t->dats[a->dat].flags & IR_DAT_TEMP))
    ir_bad_node(c, n, "only temporary dats are freed, %%%s is none",
                t->dats[a->dat].name);
}

/* Rows may be empty. */
static void
check_row_loop(struct ir_check *c, ir_ref n) {
  const struct ir_node *node = &c->t->nodes[n];
  const struct ir_map *m = &c->t->maps[node->each - 1];
  if (m->from != node->set)
    ir_bad_node(c, n, "rows of %%%s are of %%%s, the loop runs over %%%s",
                m->name, c->t->sets[m->from].name, c->t->sets[node->set].name);
  for (uint32_t k = 0; k < node->nargs; k++) {
    const struct ir_arg *a = &ir_args(c->t, node)[k];
    if (a->access == ACC_WRITE && a->in == IR_NONE)
      ir_bad_arg(c, n, k, "a row may be empty: it is no full write");
  }
}

static void
check_loop(struct ir_check *c, ir_ref n) {
  const struct ir_node *node = &c->t->nodes[n];
  const struct ir_kernel *k = &c->t->kernels[node->kernel];
  if (k->copy_from >= (int64_t)node->nargs ||
      k->copy_to >= (int64_t)node->nargs)
    ir_bad_node(c, n, "its kernel copies arguments that it does not have");
  for (uint32_t i = 0; i < node->nargs; i++) {
    check_place(c, n, i);
    check_info(c, n, i);
  }
  if (node->each) check_row_loop(c, n);
}

/* Its arguments are a list of versions, which may be of one dat. */
static bool
ir_lists(const struct ir_node *n) {
  return n->op == IR_LIVE || n->op == IR_EXCHANGE;
}

void
ir_check_args(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const struct ir_node *node = &t->nodes[n];
    if (node->op == IR_LOOP)
      check_loop(c, n);
    else
      check_plain_node(c, n);
    for (uint32_t k = 0; k < node->nargs; k++) {
      check_access(c, n, k);
      check_operands(c, n, k);
      for (uint32_t j = 0; j < k && !ir_lists(node); j++)
        check_pair(c, n, j, k);
    }
  }
}
