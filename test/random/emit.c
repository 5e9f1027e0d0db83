#define _GNU_SOURCE 1 /* open_memstream */
/* See emit.h. Only what the program uses is printed; tables and values by their
 * formulas, kernels by the texts of kernels.def. */
#include "emitter.h"

#include "boxes.h"
#include "columns.h"
#include "levels.h"
#include "matrices.h"

#include "names.h"
#undef k_clip /* bodies are printed expanded, this one as it is called */

#include <stdlib.h>
#include <string.h>

#define GROUP_i
#define GROUP_d
#define GROUP_f
#define GROUP_u
#define GROUP_l
#define GROUP_L
#define GROUP_s
#define GROUP_c
#define GROUP_C
#define GROUP_b
#define GROUP_r
#define GROUP_q
#define GROUP_x
#define GROUP_y
#define GROUP_z
#define GROUP_j
#define GROUP_h

#define TEXT(...) #__VA_ARGS__
#define EXPANDED(...) TEXT(__VA_ARGS__)
static const struct {
  const char *name, *c, *params, *body; /* c: its name in C */
} texts[] = {
#define KERNEL(family, name, spec, params, ...)                                \
  {#name, EXPANDED(name), #params, EXPANDED(__VA_ARGS__)},
#include "kernels.def"
};
enum { NTEXTS = sizeof texts / sizeof *texts };

/* Number of the operation, for names. */
#define NUMBER(o) ((int)((o) - y->p->ops))

static const char *
ctype(char letter) {
  return type_row(letter)->c;
}

/* ---- what is used ----------------------------------------------------------- */

static void use_map(struct emitter *y, int k);

static void
use_set(struct emitter *y, int s) {
  const struct psparsity *p = s >= 0 ? sparsity_of(y->p, s) : NULL;
  for (int k = 0; p && k < p->npairs; k++) use_map(y, p->pairs[k]);
  while (s >= 0) {
    const struct pmade *u = &y->p->made[s];
    y->sets[s] = true;
    s = u->points ? u->box : u->of >= 0 ? u->of : u->over;
  }
}

static void
use_map(struct emitter *y, int k) {
  const struct pmap *m = &y->p->maps[k];
  if (y->maps[k]) return;
  y->maps[k] = true;
  use_set(y, m->from);
  use_set(y, m->to);
  if (m->kind >= MAP_KINDS && !map_has_no_table(m) && m->first >= 0)
    use_map(y, m->first);
  if (m->kind == MAP_COMPOSED || m->kind == MAP_LOCAL) use_map(y, m->then);
}

static void
use_dat(struct emitter *y, int d) {
  y->dats[d] = true;
  use_set(y, y->p->dats[d].set);
  if (y->p->dats[d].over >= 0) use_dat(y, y->p->dats[d].over);
}

static void
use_gbl(struct emitter *y, int g) {
  y->gbls[g] = y->gbls[gbl_root(y->p, g)] = true;
}

static void
use_loop(struct emitter *y, const struct op *o) {
  use_set(y, o->what);
  for (int a = 0; a < o->nargs; a++) {
    const struct param *m = &o->row->params[a];
    const struct parg *g = &o->args[a];
    if (g->off) continue;
    if (g->map >= 0) use_map(y, g->map);
    if (m->kind == P_DAT || m->kind == P_VECTOR) use_dat(y, g->obj);
    if (m->kind == P_GBL || m->kind == P_INFO) use_gbl(y, g->obj);
  }
}

static void
use_matrix(struct emitter *y, const struct op *o) {
  bool vectors = o->kind == DO_MULT || o->kind == DO_MULT_TURNED;
  use_dat(y, o->what);
  if (vectors) use_dat(y, o->x);
  if (vectors) use_dat(y, o->y);
  if (o->kind == DO_MASK) use_set(y, o->x - 1);
  if (!vectors && o->kind != DO_ZERO) use_set(y, o->y - 1);
}

static void
use_op(struct emitter *y, const struct op *o) {
  if (o->row)
    use_loop(y, o);
  else if (o->kind == DO_PLACE)
    use_set(y, y->p->axes[o->what].set);
  else if (o->kind >= DO_MULT)
    use_matrix(y, o);
  else if (o->kind == DO_POKE || o->kind == DO_GET || o->kind == DO_RENEW)
    use_gbl(y, o->what);
  else if (o->kind >= DO_FETCH && o->kind <= DO_FREE)
    use_dat(y, o->what);
}

/* ---- kernels ------------------------------------------------------------------ */

static const char *
body_of(const char *name) {
  for (int k = 0; k < NTEXTS; k++)
    if (!strcmp(texts[k].name, name)) return texts[k].body;
  return "";
}

static bool
mentions(const struct emitter *y, const char *word) {
  const struct row *r;
  for (int k = 0; k < y->nops; k++)
    for (int i = 0; (r = op_row(&y->p->ops[k], i)); i++)
      if (strstr(body_of(r->name), word)) return true;
  return false;
}

/* Functions of other files: they are this one as well, with FAR defined. */
static void
emit_far(const struct emitter *y) {
#define FAR(file, ...)                                                         \
  OUT("#%s FAR == " #file "\n%s\n", file == 1 ? "if" : "elif", #__VA_ARGS__);
#include "far.def"
  OUT("#else\nextern int k_gain;\nlong long far_mix(long long a, long long "
      "b);\n"
      "void far_turn(long long *v, int n);\nint far_entry(int k);\n"
      "void far_note(unsigned v);\n");
}

static void
emit_constants(const struct emitter *y) {
  static const char *const lines[][2] = {
      {"k_int", "static int k_int = 5;"},
      {"k_vec", "static int k_vec[3] = {0, 1, 2};"},
      {"k_table", "static int k_table[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, "
                  "81, 100, 121, 144, 169, 196, 225};"},
      {"k_real", "static double k_real = 1.25;"},
      {"k_own", "static int k_own[64];"},
      {"k_trail", "static unsigned k_trail;"},
      {"k_clip", "static long long\nk_clip(long long v) { return v > 50 ? 50 : "
                 "v < -50 ? -50 : v; }"}};
  bool far = mentions(y, "far_"); /* their file mentions it */
  if (far) OUT("unsigned k_trail;\n");
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
    if (mentions(y, lines[k][0]) && !(far && !strcmp(lines[k][0], "k_trail")))
      OUT("%s\n", lines[k][1]);
}

static bool
uses_kernel(const struct emitter *y, int t) {
  const struct row *r;
  for (int k = 0; k < y->nops; k++)
    for (int i = 0; (r = op_row(&y->p->ops[k], i)); i++)
      if (!strcmp(r->name, texts[t].name)) return true;
  return false;
}

/* Kernels of several files stand in one here: the first of a name keeps it. */
static bool
has_own_name(const struct emitter *y, int t) {
  if (!strcmp(texts[t].name, texts[t].c)) return false;
  for (int k = 0; k < t; k++)
    if (!strcmp(texts[k].c, texts[t].c) && uses_kernel(y, k)) return false;
  return true;
}

/* Types of the program's own that loops and dats have. */
static void
emit_types(const struct emitter *y) {
  static const char letters[] = "VWAPST";
  for (const char *s = letters; *s; s++) {
    bool used = false;
    for (int k = 0; k < y->p->ndats; k++)
      used |= y->dats[k] && y->p->dats[k].type == *s;
    for (int k = 0; k < y->p->ngbls; k++)
      used |= y->gbls[k] && y->p->gbls[k].type == *s;
    if (used) OUT("%s\n", type_row(*s)->definition);
  }
}

static void
emit_kernels(const struct emitter *y) {
  for (int t = 0; t < NTEXTS; t++) {
    if (!uses_kernel(y, t)) continue;
    if (has_own_name(y, t)) OUT("#define %s %s\n", texts[t].name, texts[t].c);
    OUT("static void\n%s%s %s\n", texts[t].name, texts[t].params,
        texts[t].body);
  }
}

/* ---- declarations ---------------------------------------------------------------- */

static void
emit_values(const struct emitter *y, char type, int fill, int n) {
  char buf[64];
  OUT("{");
  for (int i = 0; i < n; i++)
    OUT("%s%s", i ? ", " : "",
        type_literal(type, value_of(type, fill, i), buf, sizeof buf));
  OUT("%s}", n ? "" : "0");
}

static void
emit_value(const struct emitter *y, char type, int fill) {
  int m = fill % 41 + 3;
  bool real = type_row(type)->real;
  if (!fill) {
    OUT("0");
    return;
  }
  OUT(real ? "((i * %d + %d) %% %d" : "(i * %d + %d) %% %d", fill % 23 + 1,
      fill % 19, m);
  if (type_row(type)->is_signed) OUT(" - %d", m / 2);
  if (real) OUT(" + 0.5) / 7");
  if (type == 'b') OUT(" != 0");
}

/* Values by their formula into the array `at`: each stride-th of n. */
static void
emit_fill(const struct emitter *y, char type, const char *at, int n, int stride,
          int formula) {
  const struct type_row *t = type_row(type);
  if (!t->definition) {
    OUT("  for (int i = 0; i < %d; i += %d) %s[i] = ", n, stride, at);
    emit_value(y, type, formula);
    OUT(";\n");
  }
  for (int k = 0; t->definition && k < t->lanes; k++) {
    OUT("  for (int i = %d; i < %d; i += %d)\n    ", k, n, t->lanes);
    if (stride > 1) OUT("if (i %% %d == 0) ", stride);
    OUT("%s[i / %d]%s = ", at, t->lanes, t->lane[k].text);
    emit_value(y, t->lane[k].letter, formula);
    OUT(";\n");
  }
}

/* What value number i of the array `at` is called. */
static void
cell_text(char type, const char *at, int i, char *buf, size_t size) {
  const struct type_row *t = type_row(type);
  snprintf(buf, size, "%s[%d]%s", at, i / t->lanes,
           t->definition ? t->lane[i % t->lanes].text : "");
}

static void
emit_array(const struct emitter *y, char type, const char *name, int k,
           int room, int n, int fill) {
  bool literal = fill && n <= LITERAL && !type_row(type)->definition;
  char at[32];
  snprintf(at, sizeof at, "%s%d", name, k);
  OUT("  static %s %s[%d]", ctype(type), at, type_dim(type, room) + !room);
  if (literal) {
    OUT(" = ");
    emit_values(y, type, fill, n);
  }
  OUT(";\n");
  if (fill && !literal) emit_fill(y, type, at, n, 1, fill);
}

/* The widths of the dat's halo, as an argument. */
static void
emit_halo(const struct emitter *y, const struct pdat *d) {
  const struct pmade *u = &y->p->made[d->set];
  OUT("((int[]){");
  for (int i = 0; i < 2 * y->p->made[u->box].ndim; i++)
    OUT("%s%d", i ? ", " : "", u->halo[i]);
  OUT("}), ");
}

static void
emit_dat(const struct emitter *y, int k) {
  const struct pdat *d = &y->p->dats[k];
  if (dat_is_matrix(y->p, k)) {
    const struct psparsity *s = sparsity_of(y->p, d->set);
    OUT("  op2_mat d%d = op2_decl_mat(p%d, %d, %d, \"%s\", \"d%d\");\n", k,
        (int)(s - y->p->sparsities), s->rdim, d->dim, type_row(d->type)->op2,
        k);
    return;
  }
  if (d->temp) {
    OUT("  op_dat d%d = NULL;\n", k);
    return;
  }
  bool given =
      d->over >= 0 && y->flags & PLAY_NO_REALLOC && y->p->dats[d->over].fill;
  if (given) {
    OUT("  op_dat d%d = op_decl_dat(s%d, %d, \"%s\", v%d, \"d%d\");\n", k,
        d->set, type_dim(d->type, d->dim), type_row(d->type)->op2, d->over, k);
    return;
  }
  if (d->over >= 0) {
    OUT("  op_dat d%d = op_decl_dat_overlay(s%d, d%d);\n", k, d->set, d->over);
    return;
  }
  int n = y->p->sets[d->set] * d->dim;
  bool named = d->fill && (n > LITERAL || type_row(d->type)->definition ||
                           y->flags & PLAY_NO_REALLOC);
  if (named) emit_array(y, d->type, "v", k, n, n, d->fill);
  const struct pmade *u = &y->p->made[d->set];
  OUT("  op_dat d%d = op%s(s%d, ", k,
      u->points ? "2_decl_dat_box" : "_decl_dat", u->points ? u->box : d->set);
  if (u->points) emit_halo(y, d);
  OUT("%d, \"%s%s\", ", type_dim(d->type, d->dim), type_row(d->type)->op2,
      d->soa ? ":soa" : "");
  if (named)
    OUT("v%d", k);
  else
    OUT(d->fill ? "((%s[])" : "(%s *)NULL", ctype(d->type));
  if (d->fill && !named) emit_values(y, d->type, d->fill, n);
  OUT("%s, \"d%d\");\n", d->fill && !named ? ")" : "", k);
}

static void
emit_gbl(const struct emitter *y, int k) {
  const struct pgbl *g = &y->p->gbls[k];
  if (g->over >= 0) {
    char at[32];
    snprintf(at, sizeof at, "g%d", k);
    OUT("  %s *g%d = g%d + %d;\n", ctype(g->type), k, g->over,
        type_dim(g->type, g->at));
    emit_fill(y, g->type, at, g->dim, 1, g->fill);
    return;
  }
  emit_array(y, g->type, "g", k, gbl_room(y->p, k), g->dim, g->fill);
  if (g->handle)
    OUT("  op2_gbl h%d = op2_decl_gbl(%d, \"%s\", g%d, \"h%d\");\n", k,
        type_dim(g->type, g->dim), type_row(g->type)->op2, k, k);
}

/* An overlay shows even if nobody touches it: it pins its base. */
static bool
overlays_used(const struct emitter *y, int k) {
  const struct pdat *d = &y->p->dats[k];
  return d->over >= 0 && y->dats[d->over] && y->sets[d->set];
}

static bool
axis_used(const struct emitter *y, int k) {
  for (int i = 0; i < y->nops; i++) {
    const struct op *o = &y->p->ops[i];
    if ((o->kind == DO_PLACE && o->what == k) ||
        (o->kind == DO_LEVELS && o->x == k))
      return true;
  }
  return false;
}

static void
emit_axis(const struct emitter *y, int k) {
  const struct paxis *x = &y->p->axes[k];
  OUT("  op2_axis a%d = op2_decl_axis(s%d, %d, %d, %d);\n", k, x->set,
      y->p->made[x->set].ndim - 1, x->nsplitters, x->limit);
}

static void
emit_declarations(const struct emitter *y) {
  for (int k = 0; k < y->p->nsets; k++)
    if (y->sets[k]) emit_set(y, k);
  for (int k = 0; k < y->p->nmaps; k++)
    if (y->maps[k]) emit_map(y, k);
  for (int k = 0; k < y->p->naxes; k++)
    if (axis_used(y, k)) emit_axis(y, k);
  for (int k = 0; k < y->p->nsparsities; k++)
    if (y->sets[y->p->sparsities[k].set]) emit_sparsity(y, k);
  for (int k = 0; k < y->p->ndats; k++)
    if (y->dats[k] || overlays_used(y, k)) emit_dat(y, k);
  for (int k = 0; k < y->p->ngbls; k++)
    if (y->gbls[k]) emit_gbl(y, k);
}

/* ---- operations -------------------------------------------------------------------- */

static const char *
access_text(char letter) {
  static const char letters[] = "RWUImMK";
  static const char *const texts_of[] = {"READ", "WRITE", "RW",  "INC",
                                         "MIN",  "MAX",   "WORK"};
  return texts_of[strchr(letters, letter) - letters];
}

static void
emit_arg(const struct emitter *y, const struct op *o, int a) {
  const struct param *m = &o->row->params[a];
  const struct parg *g = &o->args[a];
  const char *type = type_row(m->type)->op2, *access = access_text(m->declared);
  char map[24] = "OP_ID";
  int idx = g->map < 0 ? -1 : m->kind == P_VECTOR ? -m->count : g->idx;
  if (idx < -1 && y->p->maps[g->map].csr)
    idx = -map_longest(&y->p->maps[g->map]);
  int dim = type_dim(m->type, m->dim);
  if (g->map >= 0) snprintf(map, sizeof map, "m%d", g->map);
  if (m->kind == P_INDEX || m->kind == P_ENTRY)
    OUT("%s(%d, %s)", m->type == 'l' ? "op2_arg_idx_long" : "op_arg_idx", idx,
        map);
  else if (m->kind == P_INFO)
    OUT("op_arg_info(g%d, %d, \"%s\", %d)", g->obj, dim, type, m->ref);
  else if (m->kind == P_GBL && g->off)
    OUT("op_opt_arg_gbl(0, (%s *)NULL, %d, \"%s\", OP_%s)", ctype(m->type), dim,
        type, access);
  else if (m->kind == P_GBL)
    OUT("%s%d, %d, \"%s\", OP_%s)",
        y->p->gbls[g->obj].handle ? "op2_arg_gbl(h" : "op_arg_gbl(g", g->obj,
        dim, type, access);
  else if (g->off)
    OUT("op_opt_arg_dat(0, NULL, -1, OP_ID, %d, \"%s\", OP_%s)", dim, type,
        access);
  else if (g->map >= 0 && y->p->maps[g->map].kind == MAP_LOCAL)
    OUT("op2_arg_mat(d%d, m%dr, m%dc, %d, %d, \"%s\", OP_%s)", g->obj, g->map,
        g->map, sparsity_of(y->p, y->p->maps[g->map].to)->rdim, dim, type,
        access);
  else if (g->layered)
    OUT("op2_arg_dat_layer(d%d, %d, %d, \"%s\", OP_%s)", g->obj, g->layer, dim,
        type, access);
  else if (m->packed)
    OUT("op2_arg_dat_packed(d%d, %d, %s, %d, \"%s\", OP_%s)", g->obj, m->count,
        map, dim, type, access);
  else
    OUT("op_arg_dat(d%d, %d, %s, %d, \"%s\", OP_%s)", g->obj, idx, map, dim,
        type, access);
}

/* Behind what stands before them, to the end of the call. */
static void
emit_args(const struct emitter *y, const struct op *o) {
  int column = 99;
  for (int a = 0; a < o->nargs; a++) {
    char *text = NULL;
    size_t size;
    struct emitter part = *y;
    part.f = open_memstream(&text, &size);
    if (!part.f) abort();
    emit_arg(&part, o, a);
    fclose(part.f);
    bool fits = column + (int)size < 90;
    column = (fits ? column : 14) + (int)size + 2;
    OUT(fits ? ", %s" : ",\n              %s", text);
    free(text);
  }
  OUT(");\n");
}

static const char *const orders[] = {[ORDER_NONE] = "OP2_PARALLEL",
                                     [ORDER_FORWARD] = "OP2_FORWARD",
                                     [ORDER_BACKWARD] = "OP2_BACKWARD"};

static void
emit_loop(const struct emitter *y, const struct op *o) {
  bool wrong = o->kind == DO_WRONG; /* made wrong by its set here */
  if (wrong) OUT("  op2_set_error_handler(ignore, NULL);\n");
  OUT("  op%s(%s, \"%s\", ", o->order ? "2_par_loop_scan" : "_par_loop",
      o->row->name, o->row->name);
  if (wrong)
    OUT("NULL");
  else
    OUT("s%d", o->what);
  if (o->order) OUT(", %s", orders[o->order]);
  emit_args(y, o);
}

static void
emit_levels(const struct emitter *y, const struct op *o) {
  OUT("  op2_par_loop_levels(\"%s\", s%d, a%d, %s%s,\n"
      "                      op2_levels_of(",
      o->row->name, o->what, o->x, orders[o->order], o->y ? " | OP2_GAPS" : "");
  for (int k = 0; k < o->nlevels; k++) {
    const struct plevel *v = &o->levels[k];
    OUT("%sop2_level(%s, ((struct op2_interval){%d, %d, %d, %d}))",
        k ? ",\n                                    " : "", v->row->name,
        v->from[0], v->from[1], v->to[0], v->to[1]);
  }
  OUT(")");
  emit_args(y, o);
}

static void
emit_place(const struct emitter *y, const struct op *o) {
  OUT("  int refused%d = op2_axis_place(a%d, (idx_l_t[]){", NUMBER(o), o->what);
  for (int k = 0; k < y->p->axes[o->what].nsplitters; k++)
    OUT("%s%d", k ? ", " : "", axis_position(y->p, o->what, o->x, k));
  OUT("}) != 0;\n  (void)refused%d;\n", NUMBER(o));
}

/* The formula into an array at `at`. */
static void
emit_edit(const struct emitter *y, const struct op *o, const char *at) {
  const struct pdat *d = &y->p->dats[o->what];
  emit_fill(y, d->type, at, y->p->sets[d->set] * d->dim,
            o->kind == DO_PUT ? 1 : o->y, o->x);
}

/* Leaves what is looked at in `seen` if it is compared. */
static void
emit_look(const struct emitter *y, const struct op *o, bool compared) {
  const struct pdat *d = &y->p->dats[o->what];
  int n = y->p->sets[d->set], from = 0, to = n;
  const char *type = ctype(d->type);
  if (dat_is_matrix(y->p, o->what)) {
    if (o->kind == DO_FETCH_IDX) fetch_bounds(o, n, &from, &to);
    OUT("  const %s *seen%d = op2_mat_csr(d%d).values;\n", type, NUMBER(o),
        o->what);
    OUT("  seen%d += %d;\n", NUMBER(o), from * d->dim);
    return;
  }
  if (o->kind == DO_FETCH || o->kind == DO_FETCH_IDX || o->kind == DO_PRINT) {
    OUT("  static %s seen%d[%d];\n", type, NUMBER(o),
        type_dim(d->type, n * d->dim) + 1);
    if (o->kind == DO_FETCH_IDX) fetch_bounds(o, n, &from, &to);
    if (o->kind == DO_FETCH_IDX)
      OUT("  op_fetch_data_idx(d%d, seen%d, %d, %d);\n", o->what, NUMBER(o),
          from, to - 1);
    else
      OUT("  op_fetch_data(d%d, seen%d);\n", o->what, NUMBER(o));
    return;
  }
  OUT("  ");
  if (compared) OUT("const %s *seen%d = ", type, NUMBER(o));
  bool peek =
      y->flags & PLAY_PEEK && (o->kind == DO_SYNC || o->kind == DO_VIEW);
  if (peek)
    OUT("(const %s *)d%d->data", type, o->what);
  else if (o->kind == DO_SYNC && compared)
    OUT("(op2_sync(d%d), (const %s *)MIRROR(d%d))", o->what, type, o->what);
  else if (o->kind == DO_SYNC)
    OUT("op2_sync(d%d)", o->what);
  else if (o->kind == DO_GET_DATA)
    OUT("(const void *)op_mpi_get_data(d%d)%s", o->what,
        compared ? "->data" : "");
  else
    OUT("op2_dat_data(d%d)", o->what);
  OUT(";\n");
}

static void
emit_write(const struct emitter *y, const struct op *o) {
  const struct pdat *d = &y->p->dats[o->what];
  char at[64];
  const char *type = ctype(d->type);
  if (o->kind == DO_PUT) {
    snprintf(at, sizeof at, "put%d", NUMBER(o));
    int n = type_dim(d->type, y->p->sets[d->set] * d->dim);
    OUT("  static %s put%d[%d];\n", type, NUMBER(o), n + 1);
    emit_edit(y, o, at);
    OUT("  op_dat copy%d = op_mpi_get_data(d%d);\n", NUMBER(o), o->what);
    OUT("  memcpy((void *)op2_dat_data(copy%d), put%d, %d * sizeof *put%d);\n",
        NUMBER(o), NUMBER(o), n, NUMBER(o));
    OUT("  op_mpi_put_data(copy%d);\n", NUMBER(o));
    return;
  }
  bool peek = y->flags & PLAY_PEEK && o->kind == DO_UPLOAD;
  if (o->kind == DO_UPLOAD && !write_is_blind(o) && !peek)
    OUT("  op2_sync(d%d);\n", o->what);
  if (peek)
    OUT("  %s *seen%d = (%s *)d%d->data;\n", type, NUMBER(o), type, o->what);
  else if (o->kind == DO_UPLOAD)
    OUT("  %s *seen%d = (%s *)MIRROR(d%d);\n", type, NUMBER(o), type, o->what);
  else
    OUT("  %s *seen%d = op2_dat_data_rw(d%d);\n", type, NUMBER(o), o->what);
}

static void
emit_write_end(const struct emitter *y, const struct op *o) {
  char at[64];
  if (o->kind == DO_PUT) return;
  snprintf(at, sizeof at, "seen%d", NUMBER(o));
  emit_edit(y, o, at);
  if (o->kind == DO_UPLOAD && !(y->flags & PLAY_PEEK))
    OUT("  op_upload_dat(d%d);\n", o->what);
}

/* The program's own write to a global. */
static void
emit_poke(const struct emitter *y, const struct op *o) {
  const struct pgbl *g = &y->p->gbls[o->what];
  char at[32];
  snprintf(at, sizeof at, "g%d", o->what);
  emit_fill(y, g->type, at, g->dim, 1, o->x);
}

/* A set of rows or columns, as an argument. */
static void
emit_part(const struct emitter *y, int part) {
  if (part)
    OUT(", s%d", part - 1);
  else
    OUT(", NULL");
}

static void
emit_matrix(const struct emitter *y, const struct op *o) {
  static const char *const calls[] = {[DO_MULT] = "mult",
                                      [DO_MULT_TURNED] = "mult_transpose",
                                      [DO_ZERO] = "zero",
                                      [DO_ZERO_ROWS] = "zero_rows",
                                      [DO_SET_DIAGONAL] = "set_diagonal",
                                      [DO_MASK] = "mask"};
  bool vectors = o->kind == DO_MULT || o->kind == DO_MULT_TURNED;
  OUT("  op2_mat_%s(d%d", calls[o->kind], o->what);
  if (vectors) OUT(", d%d, d%d", o->x, o->y);
  if (o->kind == DO_MASK) emit_part(y, o->x);
  if (!vectors && o->kind != DO_ZERO) emit_part(y, o->y);
  if (o->kind == DO_ZERO_ROWS || o->kind == DO_SET_DIAGONAL) OUT(", %d", o->x);
  OUT(");\n");
}

static void
emit_temp(const struct emitter *y, int k) {
  const struct pdat *d = &y->p->dats[k];
  const struct pmade *u = &y->p->made[d->set];
  const char *type = type_row(d->type)->op2;
  int dim = type_dim(d->type, d->dim);
  if (!u->points) {
    OUT("  d%d = op_decl_dat_temp(s%d, %d, \"%s\", (%s *)NULL, \"d%d\");\n", k,
        d->set, dim, type, ctype(d->type), k);
    return;
  }
  OUT("  d%d = op2_decl_dat_box_temp(s%d, ", k, u->box);
  emit_halo(y, d);
  OUT("%d, \"%s\", \"d%d\");\n", dim, type, k);
}

static void
emit_small(const struct emitter *y, const struct op *o) {
  const struct pgbl *g = o->what < y->p->ngbls ? &y->p->gbls[o->what] : NULL;
  switch (o->kind) {
  case DO_FLUSH: OUT("  op2_flush();\n"); break;
  case DO_PLACE: emit_place(y, o); break;
  case DO_TEMP: emit_temp(y, o->what); break;
  case DO_FREE: OUT("  op_free_dat_temp(d%d);\n", o->what); break;
  case DO_ASK:
    if (o->what == 2) OUT("  op_timing_output_2_file(\"/dev/null\");\n");
    break;
  case DO_RENEW:
    OUT("  op2_free_gbl(h%d);\n", o->what);
    emit_poke(y, o);
    OUT("  h%d = op2_decl_gbl(%d, \"%s\", g%d, \"h%d\");\n", o->what,
        type_dim(g->type, g->dim), type_row(g->type)->op2, o->what, o->what);
    break;
  case DO_DEFER: OUT("  op2_defer_globals(%d);\n", o->what); break;
  case DO_GET:
    if (g->handle) OUT("  op2_gbl_get(h%d, g%d);\n", o->what, o->what);
    break;
  case DO_POKE:
    emit_poke(y, o);
    if (g->handle) OUT("  op2_gbl_set(h%d, g%d);\n", o->what, o->what);
    break;
  case DO_CONST:
    if (o->what == 0 && mentions(y, "k_int")) OUT("  k_int = %d;\n", o->x);
    if (o->what == 1 && mentions(y, "k_vec")) OUT("  k_vec[1] = %d;\n", o->x);
    if (o->what == 2 && mentions(y, "k_table"))
      OUT("  k_table[%d] = %d;\n", o->x & 15, o->x);
    if (o->what == 5 && mentions(y, "k_own")) OUT("  k_own[0] = %d;\n", o->x);
    if (o->what == 4 && mentions(y, "far_")) OUT("  k_gain = %d;\n", o->x);
    if (o->what == 3 && mentions(y, "k_real"))
      OUT("  k_real = %d / 8.0;\n", o->x);
    break;
  default: break;
  }
}

/* ---- the difference ------------------------------------------------------------------ */

/* What value number `cell` of the last operation is called there. */
static void
cell_name(const struct emitter *y, const struct op *o, int cell, char *buf,
          size_t size) {
  const struct program *p = y->p;
  int from = 0, to = 0;
  char at[32];
  snprintf(buf, size, "k_trail");
  if (o->kind == DO_LOOP || o->kind == DO_LEVELS) {
    for (int a = 0; a < o->nargs; a++) {
      int n = o->row->params[a].dim;
      if (!arg_is_raw(p, o, a)) continue;
      snprintf(at, sizeof at, "g%d", o->args[a].obj);
      if (cell >= 0 && cell < n)
        cell_text(o->row->params[a].type, at, cell, buf, size);
      cell -= n;
    }
  } else if (o->kind == DO_FLUSH) {
    for (int g = 0; g < p->ngbls; g++) {
      if (p->gbls[g].handle) continue;
      snprintf(at, sizeof at, "g%d", g);
      if (cell >= 0 && cell < p->gbls[g].dim)
        cell_text(p->gbls[g].type, at, cell, buf, size);
      cell -= p->gbls[g].dim;
    }
  } else if (o->kind == DO_PLACE) {
    snprintf(buf, size, "refused%d", NUMBER(o));
  } else if (o->kind == DO_GET) {
    snprintf(at, sizeof at, "g%d", o->what);
    cell_text(p->gbls[o->what].type, at, cell, buf, size);
  } else {
    if (o->kind == DO_FETCH_IDX)
      fetch_bounds(o, p->sets[p->dats[o->what].set], &from, &to);
    snprintf(at, sizeof at, "seen%d", NUMBER(o));
    cell_text(p->dats[o->what].type, at, cell, buf, size);
  }
}

static void
emit_difference(const struct emitter *y, const char *name) {
  const struct failure *x = &y->r->failure;
  char value[64];
  type_literal(x->type, x->expected, value, sizeof value);
  OUT("  if (%s != %s)\n    return printf(\"found %%.17g, expected %s\\n\", "
      "(double)%s), 1;\n",
      name, value, value, name);
}

static void
emit_check(const struct emitter *y, const struct op *o) {
  const struct failure *x = &y->r->failure;
  char name[64];
  if (x->cell < 0 || x->op >= y->p->nops) return;
  cell_name(y, o, x->cell, name, sizeof name);
  emit_difference(y, name);
}

/* What op_exit leaves in the program's own memory. */
static void
emit_check_ended(const struct emitter *y) {
  const struct program *p = y->p;
  int cell = y->r ? y->r->failure.cell : -1;
  if (cell < 0 || y->r->failure.op < p->nops) return;
  for (int k = 0; k < p->ndats; k++) {
    const struct pdat *d = &p->dats[k];
    int n = d->temp ? 0 : p->sets[d->set] * d->dim;
    char at[32], name[64];
    snprintf(at, sizeof at, "v%d", k);
    cell_text(d->type, at, cell < 0 ? 0 : cell, name, sizeof name);
    if (cell >= 0 && cell < n) emit_difference(y, name);
    cell -= n;
  }
}

static void
emit_ops(const struct emitter *y) {
  unsigned flags = y->flags;
  struct rnd rnd = {y->p->seed};
  for (int k = 0; k < y->nops; k++) {
    const struct op *o = &y->p->ops[k];
    bool last = y->r && k == y->r->failure.op;
    bool writes =
        o->kind == DO_EDIT || o->kind == DO_UPLOAD || o->kind == DO_PUT;
    bool aimed = flags & PLAY_TARGETS && o->row;
    int map;
    if (flags & PLAY_NEW_MAPS && play_map_again(y->p, k, &map) &&
        y->maps[map] && y->p->maps[map].kind != MAP_LOCAL) {
      OUT("  ");
      emit_map_handle(y, map);
    }
    if (aimed) OUT("  op2_target_push(\"%s\");\n", mode_target(y->p->seed, k));
    if (o->kind == DO_LEVELS)
      emit_levels(y, o);
    else if (o->row)
      emit_loop(y, o);
    else if (writes)
      emit_write(y, o);
    else if (o->kind >= DO_FETCH && o->kind <= DO_PRINT)
      emit_look(y, o, last && y->r->failure.cell >= 0);
    else if (o->kind >= DO_MULT)
      emit_matrix(y, o);
    else
      emit_small(y, o);
    if (aimed) OUT("  op2_target_pop();\n");
    if (last) emit_check(y, o);
    if (writes) emit_write_end(y, o);
    if (flags & PLAY_FLUSH || (flags & PLAY_FLUSH_SOME && rnd_chance(&rnd, 30)))
      OUT("  op2_flush();\n");
  }
}

static bool
has_kind(const struct emitter *y, enum op_kind a, enum op_kind b) {
  for (int k = 0; k < y->nops; k++)
    if (y->p->ops[k].kind == a || y->p->ops[k].kind == b) return true;
  return false;
}

/* How it failed, in one line, and how to run it. */
static void
emit_how(const struct emitter *y) {
  const struct mode *m = &modes[y->r->mode];
  char text[sizeof y->r->failure.text];
  snprintf(text, sizeof text, "%s", y->r->failure.text);
  for (char *s = text; *s; s++)
    if (*s == '\n' || *s == '*') *s = ' ';
  OUT("/* seed %llu, mode %s: %s\n", (unsigned long long)y->p->seed, m->name,
      text);
  if (m->flags & PLAY_RENUMBER) OUT(" * (elements renumbered: not shown)\n");
  const char *cc = run_opaque ? "cc" : "op2cc";
  if (mentions(y, "far_"))
    OUT(" * %s -c -DFAR=1 x.c -o far1.o && %s -c -DFAR=2 x.c -o far2.o &&\n",
        cc, cc);
  OUT(" * %s x.c%s -o x && OMP_NUM_THREADS=%d%s%s ./x%s%s */\n", cc,
      mentions(y, "far_") ? " far1.o far2.o" : "", m->threads,
      *m->env ? " " : "", m->env,
      m->flags & PLAY_NO_REALLOC ? " OP_NO_REALLOC" : "",
      m->flags & PLAY_BASE_ONE ? " OP_MAPS_BASE_INDEX=1" : "");
}

static void
emit_head(const struct emitter *y) {
  if (y->r) emit_how(y);
  if (mentions(y, "far_")) emit_far(y);
  OUT("#include \"op2.h\"\n");
  if (mentions(y, "sqrt(")) OUT("#include <math.h>\n");
  if (mentions(y, "memcpy(")) OUT("#include <string.h>\n");
  OUT("#include <stdio.h>\n");
  if (has_kind(y, DO_SYNC, DO_UPLOAD))
    OUT("/* d->data, but op2cc doesn't see it and keep mirrors current */\n"
        "#define MIRROR(d) (*(char **)((char *)(d) + "
        "__builtin_offsetof(struct op_dat_core, data)))\n");
  if (has_kind(y, DO_WRONG, DO_WRONG))
    OUT("static void\nignore(int s, const char *m, void *u) { (void)s, "
        "(void)m, (void)u; }\n");
}

void
emit(FILE *f, const struct program *p, const struct result *r) {
  bool ends = r && !r->crashed && r->failure.op < p->nops;
  struct program *other = NULL; /* what is played in this mode */
  unsigned flags = r ? modes[r->mode].flags : 0;
  if (flags & PLAY_PERMUTE) p = other = program_permute(p);
  struct emitter e = {.f = f,
                      .p = p,
                      .r = r,
                      .flags = flags,
                      .nops = ends ? r->failure.op + 1 : p->nops,
                      .sets = get_memory((size_t)p->nsets, 1),
                      .maps = get_memory((size_t)p->nmaps, 1),
                      .dats = get_memory((size_t)p->ndats, 1),
                      .gbls = get_memory((size_t)p->ngbls, 1)};
  const struct emitter *y = &e;
  for (int k = 0; k < e.nops; k++) use_op(&e, &p->ops[k]);
  emit_head(y);
  emit_types(y);
  emit_constants(y);
  emit_kernels(y);
  OUT("int\nmain(int argc, char **argv) {\n  op_init%s(argc, argv, 0%s);\n",
      flags & PLAY_AUTO_SOA ? "_soa" : "", flags & PLAY_AUTO_SOA ? ", 1" : "");
  emit_declarations(y);
  emit_ops(y);
  OUT("  op_exit();\n");
  emit_check_ended(y);
  OUT("  return 0;\n}\n%s", mentions(y, "far_") ? "#endif\n" : "");
  if (other) program_free(other);
  free(e.sets);
  free(e.maps);
  free(e.dats);
  free(e.gbls);
}
