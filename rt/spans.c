#include "rt/spans.h"

#include "base/span.h"
#include "base/log.h"
#include "rt/walk/launch.h"

#include <assert.h>

static void
add_dat(const struct rt_program *p, uint32_t slot, struct str *out) {
  assert(slot < p->nslots);
  const char *name = p->dats[p->slots[slot].dat]->name;
  str_json(out, name ? name : "");
}

static const char *
walk_text(const struct rt_launch *l, const struct rt_way *w) {
  static const char *const kinds[] = {[RT_WAY_RANGE] = "range",
                                      [RT_WAY_PARTS] = "parts",
                                      [RT_WAY_COLOURS] = "colours"};
  if (l->offload) return "device";
  return w->serial ? "serial" : kinds[w->kind];
}

static void
add_launch(const struct rt_program *p, const struct rt_cmd *cmd,
           struct str *out) {
  const struct rt_run *r = &p->scratch->runs[cmd->a];
  struct rt_way way;
  rt_launch_walk(r, &way);
  str_printf(out,
             ", \"elements\": %d, \"walk\": \"%s\", \"steps\": %d, "
             "\"threads\": %d, \"lanes\": %u",
             r->n, walk_text(r->l, &way), way.steps, way.threads, way.lanes);
  if (cmd->op == RT_LAUNCH_CORE) str_printf(out, ", \"core\": %d", r->core);
}

static void
add_copy(const struct rt_program *p, const struct rt_cmd *cmd,
         struct str *out) {
  str_add(out, ", \"from\": ");
  add_dat(p, cmd->b, out);
  str_add(out, ", \"to\": ");
  add_dat(p, cmd->a, out);
}

static void
add_moved(const struct rt_program *p, const struct rt_cmd *cmd,
          struct str *out) {
  str_add(out, ", \"dat\": ");
  add_dat(p, cmd->a, out);
}

static void
add_wants(const struct rt_program *p, const struct rt_cmd *cmd,
          struct str *out) {
  str_add(out, ", \"dats\": [");
  for (uint32_t k = 0; k < cmd->b; k++) {
    str_add(out, k ? ", " : "");
    add_dat(p, p->wants[cmd->a + k].slot, out);
  }
  str_add(out, "]");
}

static void
add_sums(const struct rt_program *p, const struct rt_cmd *cmd,
         struct str *out) {
  (void)p;
  str_printf(out, ", \"globals\": %u", cmd->b);
}

/* Each thread of the team that ran the launch. */
static void
tell_team(const struct rt_program *p, const char *name) {
  const struct rt_scratch *s = p->scratch;
  for (size_t t = 0; t < s->nat_work; t++) {
    struct rt_at_work *a = &s->at_work[t];
    SCOPED_STR args = STR_INIT;
    if (a->begin <= 0) continue;
    str_printf(&args, "\"waits\": %.3f", 1e6 * (a->end - a->begin - a->busy));
    struct span e = {"share", name, a->begin, a->end, SPAN_TEAM + (int)t,
                     args.s};
    span_hook(&e);
    *a = (struct rt_at_work){0};
  }
}

void
rt_span_tell(const struct rt_program *p, const struct rt_cmd *cmd,
             const struct rt_took *took) {
  static const struct {
    const char *kind;
    void (*add)(const struct rt_program *, const struct rt_cmd *, struct str *);
  } kinds[] = {[RT_LAUNCH] = {"region", add_launch},
               [RT_LAUNCH_CORE] = {"region", add_launch},
               [RT_COPY] = {"copy", add_copy},
               [RT_UPLOAD] = {"transfer", add_moved},
               [RT_DOWNLOAD] = {"transfer", add_moved},
               [RT_EXCHANGE_START] = {"exchange", add_wants},
               [RT_EXCHANGE_FINISH] = {"exchange", NULL},
               [RT_REDUCE] = {"exchange", add_sums}};
  if (!span_hook) return;
  assert(cmd->op < sizeof kinds / sizeof *kinds && kinds[cmd->op].kind);
  SCOPED_STR args = STR_INIT;
  str_printf(&args, "\"bytes\": %llu", (unsigned long long)took->bytes);
  if (kinds[cmd->op].add) kinds[cmd->op].add(p, cmd, &args);
  if (cmd->op == RT_EXCHANGE_FINISH) str_add(&args, ", \"waits\": true");
  struct span e = {kinds[cmd->op].kind,
                   rt_timer_name(took->timer),
                   took->begin,
                   took->end,
                   0,
                   args.s};
  span_hook(&e);
  tell_team(p, e.name);
}
