/* What OP2_TRACE leaves behind: text and graph of each different flush before
 * and after the passes, and a line on stderr. Also op2_trace_write. */
#include "frontend/context.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"

#include "base/log.h"
#include "base/numbers.h"
#include "ir/ir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Bytes that the loops move if each dat of a region (or of a loop, where none
 * was made) travels once; and the number of regions. */
static double
trace_bytes(const struct ir_trace *t, uint32_t *regions_out) {
  double bytes = 0;
  uint32_t regions = 0;
  for (uint32_t n = 0; n < t->nnodes;) {
    const struct ir_node *node = &t->nodes[n];
    uint32_t hi = ir_unit_end(t, n);
    if (ir_runs(node)) {
      bytes += ir_traffic(t, n, hi);
      regions += node->op == IR_LOOP;
    }
    n = hi;
  }
  *regions_out = regions;
  return bytes;
}

/* ---- files of OP2_TRACE ------------------------------------------------- */

static void
write_file(const char *path, const struct str *text) {
  int bad = str_write_file(text, path);
  if (bad) LOG_WARN("cannot write %s: %s", path, strerror(bad));
}

/* What passes and lowering said, as comments behind the trace. */
static void
add_remarks(const struct ir_trace *t, struct str *text) {
  for (uint32_t i = 0; i < t->nremarks; i++)
    str_printf(text, "; %s\n", t->remarks[i]);
}

void
fe_dump_trace(const char *stem, const struct ir_trace *t) {
  SCOPED_STR text = STR_INIT, path = STR_INIT;
  if (mkdir(fe.opt.trace_dir, 0777) && errno != EEXIST)
    LOG_WARN("cannot make folder %s: %s", fe.opt.trace_dir, strerror(errno));
  ir_print(t, &text);
  add_remarks(t, &text);
  str_printf(&path, "%s/%s.irt", fe.opt.trace_dir, stem);
  write_file(path.s, &text);
  str_reset(&text);
  str_reset(&path);
  ir_dot(t, &text);
  str_printf(&path, "%s/%s.dot", fe.opt.trace_dir, stem);
  write_file(path.s, &text);
}

void
fe_dump_flush(struct fe_program *p, const struct ir_trace *before,
              const struct ir_trace *after) {
  char stem[64];
  snprintf(stem, sizeof stem, "%04u.before", p->number);
  fe_dump_trace(stem, before);
  snprintf(stem, sizeof stem, "%04u.after", p->number);
  fe_dump_trace(stem, after);
  uint32_t loops, regions;
  double in = trace_bytes(before, &loops), out = trace_bytes(after, &regions);
  SCOPED_NUMBERS;
  SCOPED_STR why = STR_INIT;
  fe_reason_explain(&why);
  fprintf(stderr,
          "op2lazy: trace %s/%04u: %u loops in, %u regions out, %.3f MB moved, "
          "%.3f MB saved; %s",
          fe.opt.trace_dir, p->number, loops, regions, 1e-6 * out,
          1e-6 * (in - out), why.s);
}

void
fe_dump_pass(void *user, const char *pass, const struct ir_trace *t) {
  const struct fe_program *p = user;
  char stem[96];
  snprintf(stem, sizeof stem, "%04u.after-%s", p->number, pass);
  fe_dump_trace(stem, t);
}

/* ---- op2_trace_write --------------------------------------------------- */

static bool
ends_with(const char *s, const char *tail) {
  size_t n = strlen(s), m = strlen(tail);
  return n >= m && !strcmp(s + n - m, tail);
}

/* The pending trace if there is one, else that of the last flush. */
static status
trace_text(struct str *out, bool dot) {
  struct ir_trace *t = NULL;
  if (fe_recs.n) {
    struct fe_global_src *globals;
    t = fe_trace_build((struct fe_request){.want = FE_WANT_ALL}, NULL,
                       fe_devices_any(), &globals);
    free(globals);
  } else if (fe_programs.last && dot) {
    TRY(ir_parse(fe_programs.last->after, "last flush", &t));
  }
  if (t && dot)
    ir_dot(t, out);
  else if (t)
    ir_print(t, out);
  else if (fe_programs.last)
    str_printf(out, "; before the passes\n%s; after the passes\n%s",
               fe_programs.last->before, fe_programs.last->after);
  if (t) ir_trace_free(t);
  return OK;
}

/* A file of its own for each rank: x.irt of rank 0, x.rank-1.irt, ... */
static const char *
own_path(const char *path) {
  const char *dot = path ? strrchr(path, '.') : NULL;
  if (!dot || !fe_ranks.rank) return path;
  return arena_printf(&fe.arena, "%.*s.rank-%d%s", (int)(dot - path), path,
                      fe_ranks.rank, dot);
}

static status
trace_write(const char *path) {
  if (!path)
    FAIL(ERR_ARG, "op2_trace_write: path: expected a text, found NULL");
  if (ends_with(path, ".json")) return fe_timeline_write(path);
  bool dot = ends_with(path, ".dot");
  if (!dot && !ends_with(path, ".irt"))
    FAIL(ERR_ARG,
         "op2_trace_write: expected a path ending in .irt, .dot or "
         ".json, found \"%s\"",
         path);
  if (!fe_recs.n && !fe_programs.last)
    FAIL(ERR_STATE, "op2_trace_write: no loop was recorded yet");
  SCOPED_STR text = STR_INIT;
  status st = trace_text(&text, dot);
  int bad = st == OK ? str_write_file(&text, path) : 0;
  if (bad) FAIL(ERR_IO, "op2_trace_write: %s: %s", path, strerror(bad));
  return st;
}

int
op2_trace_write(const char *path) {
  return fe_enter("op2_trace_write")
             ? fe_leave_returned(trace_write(own_path(path)))
             : ERR_STATE;
}
