/* How many bytes nodes move if each dat travels once.
 *
 * Idea  Nodes [lo, hi) seen as one region: a version that comes from outside is
 *       read once, whoever needs it; a dat that is written is written once,
 *       whatever its versions; what one of them makes for another stays. */
#include "ir/inner.h"

struct span {
  const struct ir_trace *t;
  ir_ref lo, hi;
};

static bool
span_makes(const struct span *s, ir_ref v) {
  ir_ref def = s->t->values[v].def;
  return def != IR_NONE && def >= s->lo && def < s->hi;
}

/* Has an earlier argument of the span what a reads (or writes: out) already? */
static bool
span_had(const struct span *s, const struct ir_arg *a, bool out) {
  const struct ir_trace *t = s->t;
  for (ir_ref n = s->lo; n < s->hi; n++)
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
      const struct ir_arg *o = &ir_args(t, &t->nodes[n])[k];
      if (o == a) return false;
      if (o->kind != IR_ARG_DAT) continue;
      if (out ? o->out != IR_NONE && ir_root(t, o->dat) == ir_root(t, a->dat)
              : o->in != IR_NONE && ir_same(t, o->in) == ir_same(t, a->in))
        return true;
    }
  return false;
}

static double
arg_bytes(const struct span *s, const struct ir_arg *a) {
  if (a->kind != IR_ARG_DAT || ir_arg_inline(s->t, a)) return 0;
  const struct ir_dat *d = &s->t->dats[a->dat];
  double size = (double)s->t->sets[d->set].n * d->dim * d->type.size;
  bool reads =
      a->in != IR_NONE && !span_makes(s, a->in) && !span_had(s, a, false);
  bool writes = a->out != IR_NONE && !span_had(s, a, true);
  return size * (reads + writes);
}

double
ir_traffic(const struct ir_trace *t, ir_ref lo, ir_ref hi) {
  struct span s = {t, lo, hi};
  double bytes = 0;
  for (ir_ref n = lo; n < hi; n++)
    for (uint32_t a = 0; a < t->nodes[n].nargs; a++)
      bytes += arg_bytes(&s, &ir_args(t, &t->nodes[n])[a]);
  return bytes;
}
