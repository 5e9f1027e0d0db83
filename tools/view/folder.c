/* What OP2_TRACE left in a folder: NNNN.STAGE.irt, timeline.json, on several
 * ranks each in rank-N/. */
#include "tools/view/view.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A page with more of them would be slow to open. */
enum { TRACES_MOST = 400, EVENTS_MOST = 200000 };

/* ---- files of a folder --------------------------------------------------- */

/* A trace's file, NNNN.STAGE.irt. */
struct item {
  char *name, *program, *stage;
  int order; /* of its stage */
};
struct list {
  VEC(struct item, items);
};

/* before, after-PASS as the passes run, after. */
static int
stage_order(const char *stage) {
  static const char *const passes[] = {
#define PASS(name, ...) #name,
#include "passes/passes.def"
#undef PASS
  };
  int n = sizeof passes / sizeof *passes;
  if (!strcmp(stage, "before")) return -1;
  for (int k = 0; k < n; k++)
    if (!strncmp(stage, "after-", 6) && !strcmp(stage + 6, passes[k])) return k;
  return n;
}

static int
by_program(const void *a, const void *b) {
  const struct item *x = a, *y = b;
  int names = strcmp(x->program, y->program);
  return names ? names : x->order - y->order;
}

static void
list_add(struct list *l, const char *name) {
  const char *dot = strchr(name, '.'), *end = strrchr(name, '.');
  if (!dot || strcmp(end, ".irt") || dot == end) return; /* numbering.irt */
  struct item i = {strdup(name), strndup(name, (size_t)(dot - name)),
                   strndup(dot + 1, (size_t)(end - dot) - 1), 0};
  i.order = stage_order(i.stage);
  VEC_PUSH(l->items, l->nitems, l->capitems, i);
}

static void
list_clear(struct list *l) {
  for (uint32_t k = 0; k < l->nitems; k++) {
    free(l->items[k].name);
    free(l->items[k].program);
    free(l->items[k].stage);
  }
  free(l->items);
}

static status
list_read(const char *folder, struct list *l) {
  DIR *d = opendir(folder);
  if (!d) FAIL(ERR_IO, "%s: expected a folder of OP2_TRACE", folder);
  for (struct dirent *e; (e = readdir(d));) list_add(l, e->d_name);
  closedir(d);
  if (l->nitems) qsort(l->items, l->nitems, sizeof *l->items, by_program);
  return OK;
}

/* ---- traces -------------------------------------------------------------- */

static status
trace_add(const char *folder, const struct item *i, struct str *out) {
  SCOPED_STR path = STR_INIT, text = STR_INIT;
  struct ir_trace *t;
  str_printf(&path, "%s/%s", folder, i->name);
  int bad = str_read_file(&text, path.s);
  if (bad) FAIL(ERR_IO, "cannot read %s: %s", path.s, strerror(bad));
  TRY(ir_parse(text.s, path.s, &t));
  view_trace(t, i->program, i->stage, text.s, out);
  ir_trace_free(t);
  return OK;
}

static status
traces_add(const char *folder, struct view_run *out) {
  struct list l = {0};
  status st = list_read(folder, &l);
  uint32_t n = l.nitems < TRACES_MOST ? l.nitems : TRACES_MOST;
  str_printf(&out->json, ", \"traces_left_out\": %u, \"traces\": [",
             l.nitems - n);
  for (uint32_t k = 0; st == OK && k < n; k++) {
    str_add(&out->json, k ? ",\n" : "\n");
    st = trace_add(folder, &l.items[k], &out->json);
  }
  str_add(&out->json, "]");
  out->traces = n;
  list_clear(&l);
  return st;
}

/* ---- timelines ----------------------------------------------------------- */

/* Each event is a line of its own: as many as a page can take, *n_out of them.
 * Returns where they end. */
static const char *
events_end(const char *text, uint32_t *n_out) {
  const char *at = text;
  uint32_t n = 0;
  for (const char *next; n < EVENTS_MOST && (next = strstr(at + 1, ",\n{"));
       n++)
    at = next;
  *n_out = n;
  return n == EVENTS_MOST ? at : strstr(at, "\n]}");
}

/* The events of a file, without the brackets round them; false: no timeline. */
static bool
events_find(const char *text, const char **begin_out) {
  const char *begin = strstr(text, "\"traceEvents\": [");
  if (!begin) return false;
  *begin_out = strchr(begin, '[') + 1;
  return strstr(begin, "\n]}") != NULL;
}

static void
timeline_add(const char *path, struct view_run *out) {
  SCOPED_STR text = STR_INIT;
  const char *begin;
  uint32_t n;
  if (str_read_file(&text, path) || !events_find(text.s, &begin)) return;
  const char *end = events_end(begin, &n);
  if (!end) return;
  if (out->json.s[out->json.len - 1] != '[') str_add(&out->json, ",");
  str_printf(&out->json, "\n{\"full\": %s, \"events\": [",
             n == EVENTS_MOST ? "true" : "false");
  str_addn(&out->json, begin, (size_t)(end - begin));
  str_add(&out->json, "]}");
  out->timelines++;
}

/* ---- ranks --------------------------------------------------------------- */

/* The folder of a rank; false: there is none. */
static bool
rank_folder(const char *folder, int rank, struct str *out) {
  struct stat s;
  str_reset(out);
  str_printf(out, "%s/rank-%d", folder, rank);
  return !stat(out->s, &s) && S_ISDIR(s.st_mode);
}

/* Calls fn with each timeline's path. */
static void
timelines_each(const char *folder, void (*fn)(const char *, struct view_run *),
               struct view_run *out) {
  SCOPED_STR path = STR_INIT;
  int rank = 0;
  for (; rank_folder(folder, rank, &path); rank++) {
    str_add(&path, "/timeline.json");
    fn(path.s, out);
  }
  if (rank) return;
  str_reset(&path);
  str_printf(&path, "%s/timeline.json", folder);
  fn(path.s, out);
}

/* In the folder, or beside it, where a program leaves both. */
static void
report_add(const char *folder, struct str *out) {
  static const char *const places[] = {"%s/op2_report.json",
                                       "%s/../op2_report.json"};
  SCOPED_STR path = STR_INIT, text = STR_INIT;
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    str_reset(&path);
    str_printf(&path, places[k], folder);
    if (str_read_file(&text, path.s)) continue;
    str_printf(out, ", \"report\": %s", text.s);
    return;
  }
}

status
view_run_read(const char *folder, struct view_run *out) {
  SCOPED_STR first = STR_INIT;
  bool ranks = rank_folder(folder, 0, &first);
  assert(!out->json.len);
  str_add(&out->json, "{\"name\": ");
  str_json(&out->json, folder);
  report_add(folder, &out->json);
  TRY(traces_add(ranks ? first.s : folder, out));
  str_add(&out->json, ", \"timelines\": [");
  timelines_each(folder, timeline_add, out);
  str_add(&out->json, "]}\n");
  if (out->traces || out->timelines) return OK;
  FAIL(ERR_ARG,
       "%s: expected traces or a timeline, as OP2_TRACE=1 leaves them; found "
       "none",
       folder);
}

/* ---- one timeline of all ------------------------------------------------- */

static void
merge_add(const char *path, struct view_run *out) {
  SCOPED_STR text = STR_INIT;
  const char *begin;
  if (str_read_file(&text, path) || !events_find(text.s, &begin)) return;
  const char *end = strstr(begin, "\n]}");
  if (out->timelines++) str_add(&out->json, ",");
  str_addn(&out->json, begin, (size_t)(end - begin));
}

status
view_merge(const char *folder, const char *path) {
  struct view_run all = {.json = STR_INIT};
  str_add(&all.json, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [");
  timelines_each(folder, merge_add, &all);
  str_add(&all.json, "\n]}\n");
  int bad = all.timelines ? str_write_file(&all.json, path) : 0;
  str_clear(&all.json);
  if (bad) FAIL(ERR_IO, "cannot write %s: %s", path, strerror(bad));
  if (!all.timelines)
    FAIL(ERR_ARG, "%s: expected a timeline.json; found none", folder);
  return OK;
}
