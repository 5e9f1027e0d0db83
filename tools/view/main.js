"use strict";
// The page: which run, flush and stage is shown.

const state = { runs: [], run: null, fits: [], pinned: null };

function option(value, text) {
  return html("option", { value }, text);
}

// ---- choices ---------------------------------------------------------------

function programText(run, program, stages) {
  const total = run.flushes.get(Number(program));
  const loops = stages[0].nodes.filter((n) => n.op === "loop").length;
  return `${program}: ${severalText(loops, "loop")}` + (total
    ? `, ${severalText(total.calls, "run")}, ${timeText(total.us)}` : "");
}

// The program that ran most loops in all; the first of those that did.
function chiefProgram(run) {
  const ran = (program) => {
    const total = run.flushes.get(Number(program));
    return total ? total.calls * total.last.args.loops : 0;
  };
  const programs = [...run.programs.keys()];
  return programs.reduce((best, p) => ran(p) > ran(best) ? p : best,
    programs[0]);
}

function offerPrograms(run) {
  byId("program").replaceChildren(...[...run.programs].map(
    ([program, stages]) => option(program,
      programText(run, program, stages))));
  byId("program").value = chiefProgram(run);
}

function offerStages(stages) {
  const was = byId("stage").value;
  const names = stages.map((t) => t.stage);
  byId("stage").replaceChildren(...names.map((n) => option(n, n)),
    option("both", "before and after"));
  byId("stage").value = names.includes(was) || was === "both" ? was
    : names.at(-1);
}

// ---- showing ---------------------------------------------------------------

function pin(unit, trace, box) {
  document.querySelector(".pinned")?.classList.remove("pinned");
  state.pinned = state.pinned === box ? null : box;
  state.pinned?.classList.add("pinned");
  showUnit(unit, trace, state.run);
}

// page.html#res_calc begins with what is known of res_calc.
function pinNamed(name) {
  const boxes = [...document.querySelectorAll(".unit")];
  boxes.find((box) => name && box.dataset.name === name)
    ?.dispatchEvent(new MouseEvent("click"));
}

function showGraphs() {
  const stages = state.run.programs.get(byId("program").value) ?? [];
  offerStages(stages);
  const stage = byId("stage").value;
  const wanted = stage === "both" ? ["before", "after"] : [stage];
  const panes = wanted.map(() => html("div", { class: "pane" }));
  byId("graph").replaceChildren(...panes);
  state.pinned = null;
  state.fits = panes.map((pane, k) => {
    const trace = stages.find((t) => t.stage === wanted[k]);
    return trace ? drawGraph(pane, trace, {
      folded: byId("folded").checked,
      totals: state.run.regions.get(Number(trace.program)),
      show: (unit) => state.pinned || showUnit(unit, trace, state.run),
      pin,
    }) : () => {};
  });
  searchGraph(byId("search").value);
  fitAll(false);
}

function fitAll(all) {
  state.fits.forEach((fit) => fit(all));
}

function summaryText(run) {
  const ranks = new Set(run.events.map((e) => e.pid)).size;
  const parts = [severalText(run.programs.size, "different flush", "es"),
    severalText(ranks, "rank"), severalText(run.events.length, "event")];
  if (run.traces_left_out)
    parts.push(`${run.traces_left_out} traces left out`);
  if (run.timelines.some((t) => t.full)) parts.push("later events left out");
  return parts.join(", ");
}

function showRun() {
  state.run = state.runs[Number(byId("run").value)];
  byId("summary").textContent = summaryText(state.run);
  offerPrograms(state.run);
  drawTimeline(byId("timeline"), state.run);
  showGraphs();
  showHelp(state.run);
  drawTables(byId("tables"), state.run, state.runs);
}

function start() {
  state.runs = JSON.parse(byId("data").textContent).map(prepareRun);
  byId("run").replaceChildren(...state.runs.map((r, k) => option(k, r.name)));
  byId("run").addEventListener("change", showRun);
  for (const id of ["program", "stage", "folded"])
    byId(id).addEventListener("change", showGraphs);
  byId("search").addEventListener("input", (e) => searchGraph(e.target.value));
  byId("fit").addEventListener("click", () => fitAll(true));
  addEventListener("resize", () => {
    drawTimeline(byId("timeline"), state.run);
    fitAll(false);
  });
  showRun();
  pinNamed(decodeURIComponent(location.hash.slice(1)));
  document.body.dataset.ready = Math.round(performance.now()) + " ms";
}

document.addEventListener("DOMContentLoaded", start);
