#include "rt/events.h"

#include "base/log.h"
#include "rt/device/device.h"
#include "rt/walk/front.h"
#include "rt/walk/launch.h"

#include <assert.h>

static const enum event_kind events[] = {[RT_LAUNCH] = EVENT_region,
                                         [RT_CHAIN] = EVENT_region,
                                         [RT_LAUNCH_CORE] = EVENT_region,
                                         [RT_COPY] = EVENT_copy,
                                         [RT_EXCHANGE_START] = EVENT_exchange,
                                         [RT_EXCHANGE_FINISH] = EVENT_exchange,
                                         [RT_REDUCE] = EVENT_reduce};

/* The core of one that has none is not run, a front's launches with it, but for
 * what it has left of them over ranks. */
static void
add_region(const struct rt_program *p, const struct rt_cmd *cmd,
           struct event *e) {
  e->place.where = (struct target){TARGET_openmp, 0};
  if (cmd->op == RT_CHAIN) {
    e->name = rt_timer_name(p->chains[cmd->a].timer);
    return;
  }
  const struct rt_run *r = &p->scratch->runs[cmd->a];
  if (cmd->op == RT_LAUNCH_CORE && r->core <= 0) e->kind = EVENT_NONE;
  bool rest = cmd->op == RT_LAUNCH && p->sets[r->l->set]->part;
  if (r->ahead && !rest) e->kind = EVENT_NONE;
  e->name = rt_timer_name(r->l->timer);
  if (r->l->offload) e->place.where = rt_launch_device(r->l)->target;
}

static void
add_copy(const struct rt_program *p, const struct rt_cmd *cmd,
         struct event *e) {
  const struct rt_buf *from = p->scratch->bufs[cmd->a];
  const struct rt_buf *to = p->scratch->bufs[cmd->b];
  struct target where = cmd->device ? cmd->device->target : (struct target){0};
  e->name = to->shape.name;
  e->from = (struct event_place){where, from->mem};
  e->place = (struct event_place){where, to->mem};
  e->bytes = from->bytes;
}

struct event
rt_event_of(const struct rt_program *p, const struct rt_cmd *cmd) {
  size_t n = sizeof events / sizeof *events;
  struct event e = {.kind = cmd->op < n ? events[cmd->op] : EVENT_NONE};
  if (e.kind == EVENT_region) add_region(p, cmd, &e);
  if (e.kind == EVENT_copy) add_copy(p, cmd, &e);
  return e;
}

/* ---- in words ------------------------------------------------------------ */

static void
say_dat(const struct rt_program *p, uint32_t slot, struct str *out) {
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
say_launch(const struct rt_program *p, const struct rt_cmd *cmd,
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
say_chain(const struct rt_program *p, const struct rt_cmd *cmd,
          struct str *out) {
  const struct rt_chain *c = &p->chains[cmd->a];
  str_printf(out, ", \"regions\": %u, \"%s\": %lld", c->count,
             c->piece ? "piece" : "rows",
             (long long)(c->piece ? c->piece : c->side[0].rows));
  if (c->nsides > 1)
    str_printf(out, ", \"columns\": %lld", (long long)c->side[1].rows);
}

static void
say_copy(const struct rt_program *p, const struct rt_cmd *cmd,
         struct str *out) {
  str_add(out, ", \"from\": ");
  say_dat(p, cmd->a, out);
  str_add(out, ", \"to\": ");
  say_dat(p, cmd->b, out);
}

static void
say_wants(const struct rt_program *p, const struct rt_cmd *cmd,
          struct str *out) {
  str_add(out, ", \"dats\": [");
  for (uint32_t k = 0; k < cmd->b; k++) {
    str_add(out, k ? ", " : "");
    say_dat(p, p->wants[cmd->a + k].slot, out);
  }
  str_add(out, "]");
}

static void
say_waits(const struct rt_program *p, const struct rt_cmd *cmd,
          struct str *out) {
  (void)p, (void)cmd;
  str_add(out, ", \"waits\": true");
}

static void
say_sums(const struct rt_program *p, const struct rt_cmd *cmd,
         struct str *out) {
  (void)p;
  str_printf(out, ", \"globals\": %u", cmd->b);
}

static void (*const say[])(const struct rt_program *, const struct rt_cmd *,
                           struct str *) = {
    [RT_LAUNCH] = say_launch,        [RT_CHAIN] = say_chain,
    [RT_LAUNCH_CORE] = say_launch,   [RT_COPY] = say_copy,
    [RT_EXCHANGE_START] = say_wants, [RT_EXCHANGE_FINISH] = say_waits,
    [RT_REDUCE] = say_sums};

/* Each thread of the team that ran the launch. */
static void
tell_team(const struct rt_program *p, const char *name) {
  const struct rt_scratch *s = p->scratch;
  for (size_t t = 0; t < s->nat_work; t++) {
    struct rt_at_work *a = &s->at_work[t];
    SCOPED_STR words = STR_INIT;
    if (a->begin <= 0) continue;
    str_printf(&words, "\"waits\": %.3f", 1e6 * (a->end - a->begin - a->busy));
    struct event e = {.kind = EVENT_share,
                      .thread = EVENT_TEAM + (int)t,
                      .name = name,
                      .words = words.s,
                      .begin = a->begin,
                      .end = a->end};
    event_tell(&e, EVENT_OVER);
    *a = (struct rt_at_work){0};
  }
}

/* A front's launches one after another, as long as their pieces took. */
static void
tell_front(const struct rt_program *p, const struct rt_chain *c) {
  const struct rt_run *runs = &p->scratch->runs[c->first];
  double begin = timer_wall();
  for (uint32_t i = 0; i < c->count; i++) begin -= runs[i].seconds;
  for (uint32_t i = 0; i < c->count && runs[i].ahead; i++) {
    SCOPED_STR words = STR_INIT;
    const struct rt_launch *l = runs[i].l;
    int threads = rt_front_threads(runs[i].ahead);
    idx_l n = p->sets[l->set]->part ? runs[i].core : runs[i].n;
    str_printf(&words,
               "\"bytes\": %llu, \"elements\": %d, \"walk\": \"front\", "
               "\"steps\": %d, \"threads\": %d, \"lanes\": %u",
               (unsigned long long)l->bytes_per_element * (unsigned long long)n,
               n, threads > 1 ? 2 : 1, threads, l->lanes);
    struct event e = {.kind = EVENT_region,
                      .name = rt_timer_name(runs[i].l->timer),
                      .words = words.s,
                      .begin = begin,
                      .end = begin + runs[i].seconds};
    event_tell(&e, EVENT_OVER);
    begin = e.end;
  }
}

void
rt_event_end(const struct rt_program *p, const struct rt_cmd *cmd,
             struct event *e, uint64_t bytes) {
  assert(e->kind && cmd->op < sizeof say / sizeof *say && say[cmd->op]);
  SCOPED_STR words = STR_INIT;
  if (event_in_words()) {
    str_printf(&words, "\"bytes\": %llu", (unsigned long long)bytes);
    say[cmd->op](p, cmd, &words);
    e->words = words.s;
  }
  event_end(e);
  if (e->kind == EVENT_region) tell_team(p, e->name);
  if (event_in_words() && cmd->op == RT_CHAIN && p->chains[cmd->a].piece)
    tell_front(p, &p->chains[cmd->a]);
}
