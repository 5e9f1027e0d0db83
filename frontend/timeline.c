/* The timeline of OP2_TRACE: what each layer tells of its work (base/event.h),
 * in Chrome's trace format (loads in Perfetto, chrome://tracing and op2-view).
 *
 * Idea      A process of the format is a rank, its threads are the program's
 *           own and those that compile. Time zero is where op_init has all
 *           ranks together, so that the files of all ranks fit each other. Most
 *           events repeat, so their texts are kept once.
 * Limits    A program that runs for days keeps its first hours. Work on a
 *           device is shown where it was given, not where it ran. */
#include "frontend/context.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"

#include "base/event.h"
#include "base/log.h"
#include "base/numbers.h"
#include "base/str.h"
#include "base/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MOST = 1 << 20, DEEPEST = 32 };

/* How events are drawn: copies by their kind, others by their name. */
static const struct {
  const char *row, *as, *unnamed;
} kinds[EVENT_COUNT] = {
#define EVENT(kind, as, row, what) [EVENT_##kind] = {#row, #as, "(" #kind ")"},
#include "base/events.def"
#undef EVENT
};

static struct {
  VEC(struct event, events);  /* over; texts are kept */
  struct event open[DEEPEST]; /* under way, outermost first */
  int nopen;
  struct table texts;
  struct arena arena;
  double zero;
  int compilers, team; /* threads of each kind, numbers from 0 on */
} timeline;

/* ---- events -------------------------------------------------------------- */

static const char *
text_keep(const char *text) {
  return text ? intern_str(&timeline.texts, &timeline.arena, text) : NULL;
}

static void
event_keep(const struct event *e) {
  if (timeline.nevents == EVENTS_MOST) return;
  if (timeline.nevents == EVENTS_MOST - 1)
    LOG_WARN("OP2_TRACE: the timeline is full after %d events: the rest is "
             "left out",
             EVENTS_MOST);
  bool by_name = e->name && strcmp(kinds[e->kind].as, "copy");
  struct event kept = {.kind = e->kind,
                       .thread = e->thread,
                       .name = by_name ? text_keep(e->name)
                                       : kinds[e->kind].unnamed,
                       .words = text_keep(e->words),
                       .begin = e->begin - timeline.zero,
                       .end = e->end - timeline.zero};
  bool team = e->thread >= EVENT_TEAM;
  int *threads = team ? &timeline.team : &timeline.compilers;
  int number = team ? e->thread - EVENT_TEAM : e->thread;
  if (number >= *threads) *threads = number + 1;
  VEC_PUSH(timeline.events, timeline.nevents, timeline.capevents, kept);
}

static void
event_open(const struct event *e) {
  assert(timeline.nopen < DEEPEST);
  struct event *open = &timeline.open[timeline.nopen++];
  *open = (struct event){
      .kind = e->kind, .name = text_keep(e->name), .begin = timer_wall()};
}

/* What began inside and did not end was given up. */
static void
event_close(const struct event *e) {
  struct event *open = timeline.open;
  while (timeline.nopen && open[timeline.nopen - 1].kind != e->kind)
    timeline.nopen--;
  if (!timeline.nopen) return;
  struct event over = open[--timeline.nopen];
  if (e->name) over.name = e->name;
  over.words = e->words;
  over.end = timer_wall();
  event_keep(&over);
}

static void
tell(const struct event *e, enum event_when when) {
  static void (*const how[])(const struct event *) = {
      [EVENT_BEGINS] = event_open,
      [EVENT_ENDS] = event_close,
      [EVENT_OVER] = event_keep};
  if (strcmp(kinds[e->kind].row, "none")) how[when](e);
}

void
fe_timeline_start(void) {
  if (!fe.opt.trace) return;
  timeline.zero = timer_wall();
  event_listen(EVENT_TIMELINE, tell);
}

void
fe_told_flush(const struct fe_program *p) {
  SCOPED_STR words = STR_INIT, why = STR_INIT;
  if (p && event_in_words()) {
    fe_reason_explain(&why);
    why.s[why.len - 1] = 0; /* the line's end */
    str_printf(&words, "\"program\": %u, \"loops\": %u, \"why\": ", p->number,
               p->loops);
    str_json(&words, why.s);
  }
  fe_told(FE_CLOCK_FLUSH, NULL, words.len ? words.s : NULL, false);
}

void
fe_told_program(const struct fe_program *p) {
  SCOPED_STR words = STR_INIT, name = STR_INIT;
  if (p && event_in_words()) {
    str_printf(&name, "program %04u", p->number);
    str_printf(&words, "\"program\": %u, \"loops\": %u", p->number, p->loops);
  }
  fe_told(FE_CLOCK_PROGRAMS, name.len ? name.s : NULL,
          words.len ? words.s : NULL, false);
}

/* ---- the file ------------------------------------------------------------ */

/* The name of a process or thread. */
static void
add_name(const char *what, int thread, const char *name, struct str *out) {
  str_printf(out,
             "%s{\"name\": \"%s\", \"ph\": \"M\", \"pid\": %d, \"tid\": %d, "
             "\"args\": {\"name\": \"%s\"}}",
             out->s[out->len - 1] == '[' ? "\n" : ",\n", what, fe_ranks.rank,
             thread, name);
}

/* Threads [lo, hi) of a kind, whose numbers begin at `first`. */
static void
add_threads(const char *kind, int lo, int hi, int first, struct str *out) {
  for (int k = lo; k < hi; k++) {
    SCOPED_STR name = STR_INIT;
    str_printf(&name, "%s %d", kind, k);
    add_name("thread_name", first + k, name.s, out);
  }
}

static void
add_names(struct str *out) {
  SCOPED_STR name = STR_INIT;
  str_printf(&name, fe_ranked() ? "rank %d" : "op2lazy", fe_ranks.rank);
  add_name("process_name", 0, name.s, out);
  add_name("thread_name", 0, "program", out);
  add_threads("compiler", 1, timeline.compilers, 0, out);
  add_threads("thread", 0, timeline.team, EVENT_TEAM, out);
}

static void
add_event(const struct event *e, struct str *out) {
  str_add(out, ",\n{\"name\": ");
  str_json(out, e->name);
  str_printf(out,
             ", \"cat\": \"%s\", \"ph\": \"X\", \"pid\": %d, \"tid\": %d, "
             "\"ts\": %.3f, \"dur\": %.3f",
             kinds[e->kind].row, fe_ranks.rank, e->thread, 1e6 * e->begin,
             1e6 * (e->end - e->begin));
  if (e->words) str_printf(out, ", \"args\": {%s}", e->words);
  str_add(out, "}");
}

status
fe_timeline_write(const char *path) {
  SCOPED_NUMBERS;
  SCOPED_STR b = STR_INIT;
  str_printf(&b,
             "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"rank\": %d, "
             "\"ranks\": %d, \"threads\": %d}, \"traceEvents\": [",
             fe_ranks.rank, fe_ranks.size, fe.nthreads);
  add_names(&b);
  for (uint32_t i = 0; i < timeline.nevents; i++)
    add_event(&timeline.events[i], &b);
  str_add(&b, "\n]}\n");
  int bad = str_write_file(&b, path);
  if (bad) FAIL(ERR_IO, "cannot write %s: %s", path, strerror(bad));
  return OK;
}

void
fe_timeline_clear(void) {
  event_clear();
  free(timeline.events);
  table_clear(&timeline.texts);
  arena_clear(&timeline.arena);
  memset(&timeline, 0, sizeof timeline);
}
