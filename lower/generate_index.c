/* The index of generated code: what whoever launches it has to know.
 *
 * All lists are in order. An argument says what it is, then of what:
 *
 *   {"is": "dat", "name": "q", "buffer": 2, "type": "f64", "dim": 4, ...}
 *
 * On the host a region is one function of a table of addresses, which are the
 * arguments, and a range of elements (struct low_bind). On a device arguments
 * are those of rt/device/device.h: captured values lie in the block `values`,
 * which is words or memory, globals in cells of their own, sums in rows, one
 * for each work item. What depends on the mesh (how many targets a block has)
 * or on the card is in words, not in numbers. */
#include "lower/generate_index.h"

#include "ir/walk.h"

#include <assert.h>
#include <string.h>

/* ---- text ---------------------------------------------------------------- */

static void
put_text(struct str *b, const char *key, const char *text) {
  str_printf(b, ", \"%s\": ", key);
  str_json(b, text);
}

static void
put_number(struct str *b, const char *key, uint64_t n) {
  str_printf(b, ", \"%s\": %llu", key, (unsigned long long)n);
}

static void
put_yes(struct str *b, const char *key, bool yes) {
  if (yes) str_printf(b, ", \"%s\": true", key);
}

/* A list of objects, each on a line of its own. */
static void
list_begin(struct str *b, const char *key) {
  str_printf(b, ",\n   \"%s\": [", key);
}

static void
entry_begin(struct str *b, const char *is) {
  bool first = b->s[b->len - 1] == '[';
  str_printf(b, "%s\n    {\"is\": \"%s\"", first ? "" : ",", is);
}

static void
put_shape(struct str *b, struct type type, uint32_t dim) {
  put_text(b, "type", type_text(type));
  put_number(b, "dim", dim);
}

/* ---- names --------------------------------------------------------------- */

/* The declaration that has this number among dats, or among globals. */
static const char *
name_of(const struct ir_trace *t, const uint32_t *numbers, uint32_t no) {
  ir_ref d = 0;
  while (d < t->ndats && numbers[d] != no) d++;
  assert(d < t->ndats);
  return t->dats[d].name;
}

static void
put_global(const struct low_indexed *x, uint32_t global, struct str *b) {
  put_text(b, "name", name_of(x->m->t, x->m->gbl_no, global));
}

/* The memory of a global. */
static void
put_cell(const struct low_indexed *x, uint32_t global, struct type type,
         uint32_t dim, bool written, struct str *b) {
  entry_begin(b, "global");
  put_global(x, global, b);
  put_shape(b, type, dim);
  put_yes(b, "written", written);
}

/* The loop that captured param `no`, NULL: a global's new value. */
static const struct ir_node *
node_of(const struct low_indexed *x, const struct low_capture *c) {
  const struct ir_trace *t = x->m->t;
  for (ir_ref n = x->nodes.first; n < x->nodes.first + x->nodes.count; n++)
    if (t->nodes[n].tag == c->node_tag) return &t->nodes[n];
  return NULL;
}

/* As the program calls it: a static one has more behind its name
 * (lower/llvm/blob_reduce.c). */
static void
put_constant(const struct low_const *c, struct str *b) {
  SCOPED_STR name = STR_INIT;
  str_addn(&name, c->name, (size_t)low_variable_length(c->name));
  entry_begin(b, "constant");
  put_text(b, "name", name.s);
  put_number(b, "bytes", c->size);
}

/* A constant that a kernel mentions, or an argument that the loop reads. */
static void
put_param(const struct low_indexed *x, uint32_t no, struct str *b) {
  const struct low_maker *m = x->m;
  const struct low_capture *c = &m->out->captures[no];
  const struct ir_node *n = node_of(x, c);
  assert(n);
  uint32_t tag = m->t->kernels[n->kernel].tag;
  const struct low_kernel *k = m->env->kernel(m->env->user, tag);
  if (c->kind == LOW_CAPTURE_CONST) {
    put_constant(&k->consts[c->index], b);
  } else {
    entry_begin(b, "value");
    for (uint32_t a = 0; a < n->nargs; a++) {
      const struct ir_arg *arg = &ir_args(m->t, n)[a];
      if (arg->kind != IR_ARG_PARAM || m->t->dats[arg->dat].tag != c->index)
        continue;
      const struct ir_dat *d = &m->t->dats[arg->dat];
      put_number(b, "argument", a);
      put_shape(b, d->type, d->dim);
    }
  }
  put_text(b, "loop", m->t->kernels[n->kernel].name);
}

/* ---- binds --------------------------------------------------------------- */

static void
put_dat(const struct low_indexed *x, const struct low_bind *b,
        struct str *out) {
  static const char *const kinds[] = {[RT_BIND_SLOT] = "dat",
                                      [RT_BIND_STRIDE] = "stride",
                                      [RT_BIND_OFFSET] = "offset"};
  const struct low_maker *m = x->m;
  const struct rt_slot *s = &m->p->slots[b->index];
  entry_begin(out, kinds[b->kind]);
  put_text(out, "name", name_of(m->t, m->dat_no, s->dat));
  put_number(out, "buffer", b->index);
  if (b->kind != RT_BIND_SLOT) return;
  put_shape(out, b->type, b->dim);
  put_text(out, "set", m->t->sets[b->set].name);
  if (b->block > 1)
    put_number(out, "block", b->block);
  else
    put_text(out, "layout", b->block ? "aos" : "soa");
  put_yes(out, "written", b->written);
}

static void
put_table(const struct low_indexed *x, const struct low_bind *b,
          struct str *out) {
  static const char *const kinds[] = {[RT_BIND_MAP] = "map",
                                      [RT_BIND_START] = "row starts",
                                      [RT_BIND_HEAD] = "first of rows",
                                      [RT_BIND_FIRST] = "first of stretches",
                                      [RT_BIND_BEGIN] = "starts of stretches",
                                      [RT_BIND_COUNT] = "stretches",
                                      [RT_BIND_NAMED] = "map in own numbers",
                                      [RT_BIND_ROWS] = "own numbers",
                                      [RT_BIND_NUMBERS] =
                                          "numbers over all ranks"};
  const struct ir_trace *t = x->m->t;
  bool set = b->kind == RT_BIND_ROWS || b->kind == RT_BIND_NUMBERS;
  bool wide = b->kind == RT_BIND_START || b->kind == RT_BIND_NUMBERS;
  entry_begin(out, kinds[b->kind]);
  put_text(out, "name", set ? t->sets[b->index].name : t->maps[b->index].name);
  put_text(out, "type", wide ? "i64" : "i32");
  if (!set) put_number(out, "arity", b->arity);
}

/* On the host alone. */
static void
put_own(const struct low_indexed *x, const struct low_bind *b,
        struct str *out) {
  const struct low_maker *m = x->m;
  if (b->kind == RT_BIND_SCRATCH) {
    entry_begin(out, "scratch");
    put_number(out, "bytes", x->r->scratch_bytes);
    put_number(out, "at", (uint64_t)b->index * RT_LINE);
  } else {
    uint32_t tag = m->out->address_tags[b->index];
    entry_begin(out, "address of kernel");
    put_text(out, "name", m->env->kernel(m->env->user, tag)->name);
  }
}

/* On the host an accumulator; on a device the cell that a payload starts from
 * (low_device_argument). */
static void
put_sum(const struct low_indexed *x, uint32_t number, struct str *out) {
  const struct rt_reduction *s = &x->r->reductions[number];
  if (x->form) {
    put_cell(x, s->global, s->type, s->dim, false, out);
  } else {
    entry_begin(out, "sum");
    put_number(out, "number", number);
  }
}

static void
put_bind(const struct low_indexed *x, const struct low_bind *b,
         struct str *out) {
  switch (b->kind) {
  case RT_BIND_SLOT:
  case RT_BIND_STRIDE:
  case RT_BIND_OFFSET: put_dat(x, b, out); break;
  case RT_BIND_MAP:
  case RT_BIND_START:
  case RT_BIND_HEAD:
  case RT_BIND_FIRST:
  case RT_BIND_BEGIN:
  case RT_BIND_COUNT:
  case RT_BIND_NAMED:
  case RT_BIND_ROWS:
  case RT_BIND_NUMBERS: put_table(x, b, out); break;
  case RT_BIND_PARAM: put_param(x, b->index, out); break;
  case RT_BIND_GLOBAL:
    put_cell(x, b->index, b->type, b->dim, b->written, out);
    break;
  case RT_BIND_ACC: put_sum(x, b->index, out); break;
  case RT_BIND_SCRATCH:
  case RT_BIND_ADDRESS: put_own(x, b, out); break;
  }
  str_add(out, "}");
}

static void
put_binds(const struct low_indexed *x, struct str *out) {
  for (uint32_t k = 0; k < x->r->nbinds; k++)
    if (!x->form || low_device_argument(x->r, k) >= 0)
      put_bind(x, &x->r->binds[k], out);
}

/* ---- tables and words of launches on a device ---------------------------- */

static void
put_named(struct str *out, const char *is, const char *name, const char *type) {
  entry_begin(out, is);
  put_text(out, "name", name);
  if (type) put_text(out, "type", type);
  str_add(out, "}");
}

/* Names [from, to): tables, then words. */
static void
put_names(struct str *out, const char *const *names, int from, int words,
          int to) {
  for (int k = from; k < to; k++)
    put_named(out, k < words ? "table" : "word", names[k],
              k < words ? "i32" : "i64");
}

static void
put_plain(struct str *out) {
  static const char *const names[RT_PLAIN_ARGS] = {
      [RT_PLAIN_AT] = "at",         [RT_PLAIN_LO] = "lo",
      [RT_PLAIN_HI] = "hi",         [RT_PLAIN_MUL] = "mul",
      [RT_PLAIN_SPAN] = "span",     [RT_PLAIN_STEP] = "step",
      [RT_PLAIN_MAPPED] = "mapped",
  };
  put_names(out, names, 0, RT_PLAIN_LO, RT_PLAIN_ARGS);
}

static void
put_colour(struct str *out) {
  static const char *const names[RT_COLOUR_ARGS] = {
      [RT_COLOUR_ORDER] = "blocks of colours",
      [RT_COLOUR_COLOURS] = "colours of elements",
      [RT_COLOUR_NCOLOURS] = "colours of each block",
      [RT_COLOUR_LO] = "lo",
      [RT_COLOUR_HI] = "hi",
      [RT_COLOUR_FIRST] = "first",
      [RT_COLOUR_FRESH] = "fresh",
  };
  put_names(out, names, 0, RT_COLOUR_LO, RT_COLOUR_ARGS);
}

static void
put_use(struct str *out, const char *is, const char *name, const char *type,
        uint32_t use) {
  entry_begin(out, is);
  put_text(out, "name", name);
  put_text(out, "type", type);
  put_number(out, "use", use);
  str_add(out, "}");
}

static void
put_stage(const struct low_indexed *x, struct str *out) {
  static const char *const names[] = {
      [RT_STAGE_COLOURS] = "colours of elements",
      [RT_STAGE_NCOLOURS] = "colours of each block"};
  static const char *const tables[] = {[RT_STAGE_FIRST] = "first target",
                                       [RT_STAGE_TARGETS] = "targets",
                                       [RT_STAGE_LOCAL] = "target of entry"};
  static const char *const words[] = {[RT_STAGE_LO] = "lo",
                                      [RT_STAGE_HI] = "hi",
                                      [RT_STAGE_BLOCKS] = "blocks",
                                      [RT_STAGE_GROUPS] = "groups"};
  put_names(out, names, 0, RT_STAGE_ARGS, RT_STAGE_ARGS);
  for (uint32_t u = 0; u < x->form->nuses; u++)
    for (int k = 0; k < RT_STAGE_TABLES; k++)
      put_use(out, "table", tables[k], k == RT_STAGE_LOCAL ? "i16" : "i32", u);
  put_names(out, words, 0, 0, RT_STAGE_WORDS);
  for (uint32_t u = 0; u < x->form->nuses; u++)
    put_use(out, "word", "most targets of a block", "i64", u);
}

/* The last argument, but of PTX: there it is shared memory of the launch. */
static void
put_room(const struct low_indexed *x, struct str *out) {
  if (x->form->kind != RT_CODE_PTX)
    put_named(out, "local memory", "room", NULL);
}

static void
put_combine(const struct low_indexed *x, struct str *out) {
  static const char *const words[RT_COMBINE_WORDS] = {
      [RT_COMBINE_ROWS] = "rows",
      [RT_COMBINE_JOIN] = "join",
      [RT_COMBINE_FRESH] = "fresh",
  };
  if (!x->r->nreductions) return;
  str_printf(out, ",\n   \"combine\": \"%s\"", LOW_COMBINE);
  list_begin(out, "combine_arguments");
  put_named(out, "memory", "sums", NULL);
  for (uint32_t k = 0; k < x->r->nreductions; k++) {
    const struct rt_reduction *s = &x->r->reductions[k];
    put_cell(x, s->global, s->type, s->dim, true, out);
    str_add(out, "}");
  }
  put_names(out, words, 0, 0, RT_COMBINE_WORDS);
  for (uint32_t k = 0; k < x->r->nreductions; k++)
    put_named(out, "word", "start", "i64");
  if (x->form->rows_local) put_room(x, out);
  str_add(out, "]");
}

/* ---- launches ------------------------------------------------------------ */

/* The arguments that captured values are: the words of their block, or its
 * memory. */
static void
put_block(const struct low_indexed *x, struct str *out) {
  const struct low_device_form *f = x->form;
  for (uint32_t k = 0; k < f->nwords; k++) {
    entry_begin(out, "word");
    put_text(out, "name", "values");
    put_text(out, "type", "i64");
    put_number(out, "at", (uint64_t)k * RT_SCALARS_WORD);
    str_add(out, "}");
  }
  if (f->scalar_bytes && !f->nwords) put_named(out, "memory", "values", NULL);
}

/* What lies where in that block. */
static void
put_values(const struct low_indexed *x, struct str *out) {
  const struct rt_offload *o = x->offload;
  if (!o->nscalars) return;
  list_begin(out, "values");
  for (uint32_t k = 0; k < o->nscalars; k++) {
    put_param(x, o->scalars[k].param, out);
    put_number(out, "at", o->scalars[k].offset);
    str_add(out, "}");
  }
  str_printf(out, "], \"values_bytes\": %zu", o->scalar_bytes);
}

static void
put_sums(const struct low_indexed *x, struct str *out) {
  const struct low_region *r = x->r;
  if (!r->nreductions) return;
  list_begin(out, "sums");
  for (uint32_t k = 0; k < r->nreductions; k++) {
    const struct rt_reduction *s = &r->reductions[k];
    entry_begin(out, s->payload < 0 ? access_info[s->access].text : "payload");
    put_global(x, s->global, out);
    put_shape(out, s->type, s->dim);
    if (s->lanes) put_number(out, "lanes", s->lanes);
    if (s->payload >= 0) put_number(out, "of", (uint64_t)s->payload);
    if (x->form) put_number(out, "at", x->form->sum_at[k]);
    str_add(out, "}");
  }
  str_add(out, "]");
  if (x->form) put_number(out, "row_bytes", x->form->row);
}

/* Local memory of a group: of each strip so many bytes for each target that a
 * block has at most, rounded up to RT_STRIP_ALIGN. */
static void
put_shared(const struct low_indexed *x, struct str *out) {
  const struct low_device_form *f = x->form;
  list_begin(out, "shared");
  for (uint32_t k = 0; k < f->nstrips; k++) {
    const struct rt_stage_use *use = &f->uses[f->strips[k].use];
    entry_begin(out, "strip");
    put_number(out, "use", f->strips[k].use);
    put_text(out, "map", x->m->t->maps[use->map].name);
    str_add(out, ", \"entries\": [");
    for (uint32_t j = 0; j < use->nentries; j++)
      str_printf(out, "%s%u", j ? ", " : "", use->entries[j]);
    str_add(out, "]");
    put_number(out, "bytes_of_target", f->strips[k].bytes);
    str_add(out, "}");
  }
  str_add(out, "]");
}

static void
put_device(const struct low_indexed *x, struct str *out) {
  const struct low_device_form *f = x->form;
  bool plain = f->form == RT_FORM_PLAIN;
  uint32_t group = RT_DEVICE_GROUP;
  put_text(out, "entry", low_form_entry(f->form));
  if (!plain || x->r->nreductions)
    group = rt_offload_group(x->offload, group, RT_DEVICE_LOCAL);
  put_number(out, "group", x->r->mode == RT_RUN_SERIAL ? 1 : group);
  put_yes(out, "in_order", f->ordered);
  put_shared(x, out);
  list_begin(out, "arguments");
  put_binds(x, out);
  put_named(out, "memory", "sums", NULL);
  put_block(x, out);
  if (plain) put_plain(out);
  if (f->form == RT_FORM_COLOUR) put_colour(out);
  if (f->form == RT_FORM_STAGE) put_stage(x, out);
  if (low_form_has_room(f)) put_room(x, out);
  str_add(out, "]");
  put_values(x, out);
}

static void
put_host(const struct low_indexed *x, struct str *out) {
  put_text(out, "entry", LOW_ENTRY);
  put_number(out, "width", x->r->width ? x->r->width : 1);
  list_begin(out, "arguments");
  put_binds(x, out);
  str_add(out, "]");
}

static void
put_loops(const struct low_indexed *x, struct str *out) {
  const struct low_region *r = x->r;
  str_add(out, ",\n   \"loops\": [");
  for (uint32_t k = 0; k < r->ncalls; k++) {
    SCOPED_STR place = STR_INIT;
    str_printf(&place, "%s:%d", r->calls[k].file, r->calls[k].line);
    str_printf(out, "%s\n    {\"name\": ", k ? "," : "");
    str_json(out, r->calls[k].name);
    put_text(out, "call", place.s);
    str_add(out, "}");
  }
  str_add(out, "]");
}

void
low_index_region(const struct low_indexed *x, struct str *out) {
  const struct ir_trace *t = x->m->t;
  const struct ir_region *g = &t->regions[t->nodes[x->nodes.first].region];
  str_add(out, "  {\"file\": ");
  str_json(out, x->file);
  put_text(out, "set", t->sets[g->set].name);
  put_number(out, "elements", (uint64_t)t->sets[g->set].n);
  put_text(out, "walk", ir_walk_info[g->walk].text);
  if (x->form)
    put_device(x, out);
  else
    put_host(x, out);
  put_sums(x, out);
  if (x->form) put_combine(x, out);
  put_loops(x, out);
  str_add(out, "}");
}
