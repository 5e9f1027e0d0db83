/* The passes that a trace goes through, as the options say. */
#include "frontend/context.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"

#include "ir/ir.h"
#include "lower/machine.h"
#include "passes/pass.h"

/* Values of OP2_TEAM are those of the pass's option. */
_Static_assert(OPT_team_one - OPT_team_auto == IR_TEAM_ONE &&
                   OPT_team_all - OPT_team_auto == IR_TEAM_ALL,
               "words.def and teams.def");

/* Does a loop of the trace run on a device whose code is not a processor's? */
static bool
on_gpu(const struct ir_trace *t) {
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const char *target = t->nodes[n].op == IR_LOOP ? t->nodes[n].target : NULL;
    if (target_is_device(target) && fe_target_gpu(target)) return true;
  }
  return false;
}

/* As OP2_STRETCHES=always has it. */
#define ALL_STRETCHES                                                          \
  "stretch{least=1,slide=1,line=1},ahead{least=0,from=0,band=0},"

/* As OP2_LATE=always has it. */
#define ALL_LATE ",least=1,most=1000000,extremes=1"

/* As OP2_RUNS has it. */
static const char *
runs_forced(void) {
  if (fe.opt.runs == OPT_runs_auto) return "";
  return fe.opt.runs == OPT_runs_kept ? "runs{least=1,share=0,light=1000000},"
                                      : "runs{least=1,share=0,light=0},";
}

static status
passes_run(struct ir_trace **t, bool gpu, const char *without,
           struct fe_program *p) {
  SCOPED_STR disable = STR_INIT, with = STR_INIT;
  bool colours = /* on devices; in_order comes first on hosts */
      fe.opt.reproducible || fe.opt.threading == OPT_threading_colours;
  bool streams = fe.opt.streams == OPT_streams_always;
  str_printf(&disable, "%s%s%s", fe.opt.disable, fe.apart ? ",fuse,inline" : "",
             without);
  str_printf(
      &with,
      "gather{always=%d},"
      "colour{colours=%d,in_order=%d,increments=%d,gpu=%d},"
      "hold{exact=%d,reads=%d,gpu=%d,place=%d},"
      "width{bytes=%u},%s%s%slate{registers=%u%s},team{way=%d,ranks=%d},"
      "tile{rows=%d,columns=%d,piece=%d,share=%u},%scores{off=%d}%s%s",
      fe.opt.gather == OPT_gather_always, colours, fe.opt.reproducible != 0,
      fe.opt.increments - OPT_increments_auto, gpu, fe.opt.reproducible != 0,
      fe.opt.reads - OPT_reads_direct, gpu,
      strcmp(fe.opt.sanitize, "address") ? fe.opt.place
                                         : 0, /* red zones are of copies */
      streams ? IR_STREAM_BYTES : low_machine_vector(),
      fe.opt.inlining == OPT_inlining_always ? "inline{most=1000000}," : "",
      fe.opt.stretches == OPT_stretches_always ? ALL_STRETCHES : "",
      runs_forced(), low_machine_registers(),
      fe.opt.late == OPT_late_always ? ALL_LATE : "",
      fe.opt.team - OPT_team_auto, fe_ranks.size,
      fe.opt.tile_rows > 0 ? fe.opt.tile_rows : 0,
      fe.opt.tile_columns > 0 ? fe.opt.tile_columns : 0,
      fe.opt.tile_piece > 0 ? fe.opt.tile_piece : 0, fe.share,
      streams ? "stream{least=0}," : "", fe.opt.reproducible || !fe.opt.overlap,
      *fe_ranks.halo_with ? "," : "", fe_ranks.halo_with);
  struct pass_options o = {.disable = disable.s,
                           .with = with.s,
                           .verify = fe.opt.check != OPT_check_0,
                           .stress = fe.opt.stress,
                           .after = p && fe.opt.trace > 1 ? fe_dump_pass : NULL,
                           .user = p};
  return pass_run(t, &o);
}

status
fe_passes_run(struct ir_trace **t, struct fe_program *p) {
  return passes_run(t, on_gpu(*t), "", p);
}

status
fe_passes_for(struct ir_trace **t, bool gpu) {
  return passes_run(t, gpu, ",inline,stretch,tile,stream",
                    NULL); /* what all have */
}

status
fe_passes_number(struct ir_trace **t, int by) {
  struct str pipeline = STR_INIT;
  str_printf(&pipeline, "number{strays=%d", fe.opt.reproducible != 0);
  if (by >= 0) str_printf(&pipeline, ",by=%d", by);
  bool stays = fe.opt.bare || fe.opt.renumber == OPT_renumber_0;
  if (stays || fe_target_is_device(fe.target)) /* code there does not gain */
    str_add(&pipeline, ",spare=0");
  else if (fe.opt.stretches == OPT_stretches_always)
    str_add(&pipeline, ",spare=100000");
  str_add(&pipeline, "}");
  struct pass_options o = {.disable = fe.opt.disable,
                           .pipeline = pipeline.s,
                           .verify = fe.opt.check != OPT_check_0,
                           .stress = fe.opt.stress};
  status st = pass_run(t, &o);
  if (st == OK && fe.opt.trace) fe_dump_trace("numbering", *t);
  str_clear(&pipeline);
  return st;
}

status
fe_passes_check(const char *names) {
  return pass_check_names(names);
}
