/* ir/verify.c on traces that no text can express, and on traces with one field
 * broken at random: never a crash. Rules that text can break are in test/ir. */
#include "ir_make.h"

#include <signal.h>

/* A trace with one of everything, and a copy of it to break in each test. */
static const char text[] =
    "trace @t {\n"
    "  set %s n=4\n"
    "  map %m : %s -> %s x2\n"
    "  dat %q : %s f64 x1\n"
    "  dat %p : %s f64 x1\n"
    "  gbl %g : f64 x1\n"
    "  param %c : f64 x1\n"
    "  kernel @k\n"
    "  %p.1 = alias read %q.0, write %p\n"
    "  region over %s {\n"
    "    %q.1, %g.1 = loop @k over %s (write %q, inc %g.0, read %c)\n"
    "    %q.2 = loop @k over %s (rw %q.1)\n"
    "  }\n"
    "  loop @k over %s (read %q.2 via %m[0], idx via %m[1])\n"
    "  live %q.2, %p.1\n"
    "  buffer #0 : %q.0 %p.1\n"
    "  buffer #1 : %q.1 %q.2\n"
    "}\n";

static struct ir_trace *
parsed(void) {
  struct ir_trace *t;
  cr_assert_eq(ir_parse(text, "text", &t), OK, "%s", err_last());
  return t;
}

Test(verify, the_unbroken_trace_is_legal) {
  struct ir_trace *t = parsed();
  assert_legal(t);
  ir_trace_free(t);
}

/* One change each; the message must hold the words. */
#define BROKEN(name, change, words)                                            \
  Test(verify, name) {                                                         \
    struct ir_trace *t = parsed();                                             \
    struct str why = STR_INIT;                                                 \
    change;                                                                    \
    cr_assert_gt(ir_verify(t, &why), 0);                                       \
    cr_assert_not_null(strstr(why.s, words), "%s", why.s);                     \
    str_clear(&why);                                                           \
    ir_trace_free(t);                                                          \
  }

BROKEN(set_size, t->sets[0].n = -1, "set %s: its size is negative")
BROKEN(map_set, t->maps[0].to = 1, "map %m: no such set")
BROKEN(map_arity, t->maps[0].arity = 0, "map %m: arity 0")
BROKEN(map_flags, t->maps[0].flags = 1U << 31, "map %m: unknown flags")
BROKEN(dat_set, t->dats[0].set = IR_NONE, "dat %q: a dat lies on a set")
BROKEN(gbl_set, t->dats[2].set = 0, "dat %g: a dat lies on a set")
BROKEN(dat_kind, t->dats[0].kind = 9, "dat %q: unknown kind")
BROKEN(dat_type, t->dats[0].type.kind = TYPE_COUNT, "dat %q: no such type")
BROKEN(dat_dim, t->dats[0].dim = 0, "dat %q: no such type or size")
BROKEN(dat_root, t->dats[0].root = 77, "dat %q: its storage has no storage")
BROKEN(dat_root_chain, (t->dats[0].root = 1, t->dats[1].root = 0),
       "dat %q: its storage has no storage")
BROKEN(dat_root_kind, t->dats[2].root = 0,
       "dat %g: its storage is of another kind")
BROKEN(dat_flags, t->dats[0].flags = IR_DAT_RAW, "dat %q: unknown flags")
BROKEN(dat_unread, t->dats[2].flags = IR_DAT_UNREAD,
       "dat %g: unread, and no raw pointer's")
BROKEN(kernel_copies, t->kernels[0].copy_to = 1, "kernel @k: copies from")
BROKEN(kernel_flags, t->kernels[0].flags = 64, "kernel @k: unknown flags")
BROKEN(op, t->nodes[1].op = IR_OP_COUNT, "node 1, ? @k: unknown operation")
BROKEN(kernel, t->nodes[1].kernel = 1, "loops have a kernel")
BROKEN(kernel_of_live, t->nodes[4].kernel = 0, "other nodes none")
BROKEN(loop_set, t->nodes[1].set = 5, "loops have a set")
BROKEN(args_range, t->nodes[1].nargs = UINT32_MAX,
       "its arguments are not in the trace")
BROKEN(node_region, t->nodes[1].region = 8, "no such region")
BROKEN(node_flags, t->nodes[1].flags = 128, "unknown flags")
BROKEN(arg_kind, t->args[2].kind = 17, "unknown kind or access")
BROKEN(arg_access, t->args[2].access = ACC_COUNT, "unknown kind or access")
BROKEN(arg_dat, t->args[2].dat = 9, "argument 0: a dat, gbl or param is used")
BROKEN(arg_dat_kind, t->args[2].kind = IR_ARG_PARAM, "is used as something")
BROKEN(arg_map, t->args[2].map = 3, "argument 0: no such map")
BROKEN(arg_in, t->args[5].in = 1000, "no such version")
BROKEN(value_dat, t->values[0].dat = 3, "value 0: versions belong to")
BROKEN(value_def, t->values[0].def = 50, "value 0: no such node defines it")
BROKEN(value_same, t->values[0].same = 50, "value 0: what it is the same as")
BROKEN(value_buffer, t->values[0].buffer = 2, "value 0: no such buffer")
BROKEN(region_range, t->regions[0].count = 9, "region 0: its nodes are not")
BROKEN(region_other_set, t->regions[0].set = 1, "region 0: no such set")
BROKEN(buffer_dat, t->buffers[0].dat = 9, "buffer #0: no member gives")

BROKEN(zero_defined, t->values[0].def = 1, "%q.0 is what the trace begins with")
BROKEN(def_elsewhere, t->values[t->args[2].out].def = 2,
       "%q.1 is defined by another node")
BROKEN(count_of_values, t->dats[0].nvalues = 4, "%q has 3 values and counts 4")
BROKEN(alias_forgotten, t->values[t->args[1].out].same = t->args[1].out,
       "%p.1 is said to be the same as %p.1, no alias makes it so")
BROKEN(same_invented, t->values[t->args[5].out].same = 0,
       "%q.2 is said to be the same as %q.0, no alias makes it so")
BROKEN(in_of_other_dat, t->args[5].in = 1,
       "it names a version of another storage than %q")
BROKEN(out_of_other_dat, t->args[5].out = t->args[1].out,
       "it defines a version of another storage than %q")
BROKEN(write_without_out, t->args[5].out = IR_NONE, "rw of %q defines no")
BROKEN(read_with_out, t->args[6].out = t->args[5].out,
       "read of %q defines a version")
BROKEN(param_with_version, t->args[4].in = 0, "a param, a number or off has no")
BROKEN(payload_access, t->args[3].kind = IR_ARG_INFO,
       "the access of a payload is rw")
BROKEN(region_too_short, t->regions[0].count = 1,
       "node 2, loop @k: it says region 0, which does not reach it")
BROKEN(region_with_stranger, t->nodes[2].region = IR_NONE,
       "node 2, loop @k: it lies in the middle of region 0")
BROKEN(buffer_not_initial, t->buffers[0].initial = false,
       "buffer #0: initial buffers belong to a dat")
BROKEN(buffer_initial, t->buffers[1].initial = true,
       "buffer #1: initial buffers belong to a dat")
BROKEN(buffer_owner, t->buffers[0].dat = 1,
       "buffer #0: initial buffers belong to a dat")

Test(verify, a_null_text_only_counts) {
  struct ir_trace *t = parsed();
  t->sets[0].n = -1;
  t->maps[0].arity = 0;
  cr_assert_eq(ir_verify(t, NULL), 2);
  ir_trace_free(t);
}

/* ---- any field, any value ---------------------------------------------- */

struct field {
  void *array;
  uint32_t n;
  size_t size;
};

/* Overwrite one aligned 32-bit word of one record; names and other pointers are
 * left alone. */
static bool
smash(struct ir_trace *t, uint64_t *r) {
  static const uint32_t values[] = {0, 1, 2, 3, 4, 7, IR_NONE, IR_NONE - 1};
  struct field fields[] = {{t->args, t->nargs, sizeof *t->args},
                           {t->values, t->nvalues, sizeof *t->values},
                           {t->regions, t->nregions, sizeof *t->regions},
                           {t->nodes, t->nnodes, sizeof *t->nodes},
                           {t->dats, t->ndats, sizeof *t->dats},
                           {t->maps, t->nmaps, sizeof *t->maps}};
  uint32_t which = rnd(r, 6), record = rnd(r, fields[which].n);
  size_t at = 4 * rnd(r, (uint32_t)(fields[which].size / 4));
  static const struct {
    uint32_t which;
    size_t at;
  } pointers[] = {{3, offsetof(struct ir_node, file)},
                  {3, offsetof(struct ir_node, target)},
                  {4, offsetof(struct ir_dat, name)},
                  {4, offsetof(struct ir_dat, at)},
                  {5, offsetof(struct ir_map, name)}};
  for (size_t k = 0; k < sizeof pointers / sizeof *pointers; k++)
    if (pointers[k].which == which && at / 8 == pointers[k].at / 8)
      return false;
  char *p = (char *)fields[which].array + record * fields[which].size + at;
  uint32_t value = values[rnd(r, 8)];
  memcpy(p, &value, 4);
  return true;
}

Test(verify, broken_fields_never_crash) {
  uint64_t r = 7;
  int found = 0;
  for (int round = 0; round < 20000; round++) {
    struct ir_trace *t = parsed();
    struct str why = STR_INIT, out = STR_INIT;
    for (uint32_t k = 1 + rnd(&r, 3); k > 0; k--) smash(t, &r);
    int n = ir_verify(t, &why);
    cr_assert_eq(n > 0, why.len > 0);
    found += n > 0;
    if (n == 0) ir_print(t, &out);
    str_clear(&why);
    str_clear(&out);
    ir_trace_free(t);
  }
  cr_assert_gt(found, 8000);
}
