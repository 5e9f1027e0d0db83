"use strict";
// What is known of the unit, or event, under the mouse.

function timeFacts(total) {
  if (!total) return [];
  return [["time", timeText(total.us / total.calls) + " a run"],
    ["runs", countText(total.calls)],
    ["rate", rateText(total.bytes, total.us)],
    ["moved", bytesText(total.bytes / total.calls) + " a run"]];
}

function walkFacts(unit, total) {
  const region = unit.region;
  const ran = total?.last.args;
  return [["walk", region?.walk],
    ["ran", ran && `${ran.walk}, ${severalText(ran.steps, "step")}, ` +
      severalText(ran.threads, "thread")],
    ["vectors", region && (region.width ? region.width + " elements" : "none")],
    ["team", region?.team],
    ["core first", region?.core_first ? "yes" : ""],
    ["holds", region?.holds]];
}

function reportFacts(reported) {
  if (!reported?.bound) return [];
  return [["bound", reported.bound],
    ["distance", reported.distance],
    ["no vectors", reported.no_vectors],
    ["would help", reported.would_help]];
}

function argsTable(node) {
  return table("", [
    { name: "access", cell: (a) => a.access },
    { name: "version", cell: (a) => a.out && a.in ? a.in + " → " + a.out
      : a.out ?? a.in },
    { name: "through", cell: (a) => a.map && a.map +
      (a.entries > 1 ? `[0:${a.entries}]` : `[${a.entry}]`) },
    { name: "data", cell: (a) => `${a.type} x${a.dim} ${a.layout ?? ""}` },
  ], node.args);
}

// Each once: a trace of many steps has them for each step.
function remarksOf(unit, trace) {
  const names = new Set(unit.nodes.filter((n) => n.op === "loop")
    .map((n) => n.name));
  const about = trace.remarks.filter((r) =>
    r.split(/[^A-Za-z0-9_]+/).some((word) => names.has(word)));
  return [...new Set(about.map((r) => r.replace(/(%[\w$']+)\.\d+/g, "$1")))];
}

function showUnit(unit, trace, run) {
  const remarks = remarksOf(unit, trace);
  byId("details").replaceChildren(
    html("h2", {}, unit.name),
    facts([["over", unit.nodes[0].set && `${unit.nodes[0].set}, ` +
        countText(unit.nodes[0].elements) + " elements"],
    ["bytes", unit.bytes && bytesText(unit.bytes)],
    ...timeFacts(unit.total), ...walkFacts(unit, unit.total),
    ...reportFacts(run.reported.get(unit.name))]),
    ...unit.nodes.flatMap((n) => [
      html("h2", {}, n.name + (n.file
        ? `, ${baseName(n.file)}:${n.line}` : "")),
      argsTable(n)]),
    remarks.length ? html("h2", {}, "remarks") : "",
    ...remarks.map((r) => html("p", { class: "remark" }, r)));
}

function argText(value) {
  return Array.isArray(value) ? value.join(", ") : value;
}

function showEvent(e) {
  const args = Object.entries(e.args ?? {}).map(([name, value]) =>
    [name, name === "bytes" ? bytesText(value) : argText(value)]);
  byId("details").replaceChildren(html("h2", {}, e.name),
    facts([["kind", e.cat], ["rank", e.pid], ["at", timeText(e.ts)],
      ["took", timeText(e.dur)], ...args,
      ["rate", rateText(e.args?.bytes ?? 0, e.dur)]]));
}

function showSeveral(events) {
  const total = events.reduce((sum, e) => sum + e.dur, 0);
  const names = new Map();
  for (const e of events) addEvent(addTo(names, e.name, emptyTotal), e);
  byId("details").replaceChildren(
    html("h2", {}, `${countText(events.length)} events`),
    facts([["took", timeText(total)], ...[...names].map(([name, t]) =>
      [name, `${countText(t.calls)}, ${timeText(t.us)}`])]));
}

function showHelp(run) {
  byId("details").replaceChildren(html("h2", {}, run.name),
    html("p", {}, "Boxes are loops, shaded boxes regions, which run as one; " +
      "the redder, the slower. Edges are versions of dats; dashed ones lead " +
      "into the next repeat. Point at a box or an event for more, click to " +
      "keep it; the wheel zooms, dragging moves."),
    facts([...run.kinds].map(([kind, t]) =>
      [kind, `${countText(t.calls)}, ${timeText(t.us)}`])));
}
