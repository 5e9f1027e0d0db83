"use strict";
// The report's table, or what the timeline knows of regions; two runs.

function regionTable(run) {
  const rows = [...(run.regions.get("") ?? [])]
    .sort((a, b) => b[1].us - a[1].us);
  const all = rows.reduce((sum, [, t]) => sum + t.us, 0);
  return table("regions", [
    { name: "region", text: true, cell: ([name]) => name },
    { name: "calls", cell: ([, t]) => countText(t.calls) },
    { name: "time", cell: ([, t]) => timeText(t.us) },
    { name: "share", cell: ([, t]) => (100 * t.us / all).toFixed(0) + " %" },
    { name: "a call", cell: ([, t]) => timeText(t.us / t.calls) },
    { name: "rate", cell: ([, t]) => rateText(t.bytes, t.us) },
    { name: "walk", text: true, cell: ([, t]) => t.last.args?.walk },
  ], rows);
}

function rateOf(r) {
  return r.rate ? (r.rate / 1e9).toPrecision(3) + " GB/s" : "";
}

function reportTable(report) {
  return table("report", [
    { name: "region", text: true, cell: (r) => r.name },
    { name: "calls", cell: (r) => countText(r.calls) },
    { name: "time", cell: (r) => timeText(1e6 * r.seconds.most) },
    { name: "rate", cell: rateOf },
    { name: "of the machine's", cell: (r) => r.stream && r.rate
      ? (100 * r.rate / r.stream).toFixed(0) + " %" : "" },
    { name: "bound", text: true, cell: (r) => r.bound },
    { name: "distance", cell: (r) => r.distance },
    { name: "walk", text: true, cell: (r) => r.walk?.kind },
    { name: "lanes", cell: (r) => r.lanes },
    { name: "would help", text: true, cell: (r) => r.would_help },
  ], report.regions);
}

function flushTable(report) {
  return table("flushes", [
    { name: "flushes", cell: (f) => countText(f.most) },
    { name: "because", text: true, cell: (f) => f.because },
    { name: "the last", text: true, cell: (f) => f.last },
    { name: "instead", text: true, cell: (f) => f.instead },
  ], report.flushes ?? []);
}

// ---- two runs --------------------------------------------------------------

function bothOf(a, b) {
  const names = new Set([...a.keys(), ...b.keys()]);
  return [...names].map((name) => ({ name, a: a.get(name), b: b.get(name) }));
}

function change(row) {
  if (!row.a || !row.b || !row.a.us) return "";
  const by = row.b.us / row.a.us;
  return ["× " + by.toPrecision(3), by > 1.1 ? "worse" : by < 0.9 ? "better"
    : ""];
}

function compareTable(id, title, a, b) {
  const most = (r) => Math.max(r.a?.us ?? 0, r.b?.us ?? 0);
  const rows = bothOf(a, b).sort((x, y) => most(y) - most(x));
  const columns = [{ name: title, text: true, cell: (r) => r.name }];
  for (const side of ["a", "b"]) {
    const run = side === "a" ? "first" : "other";
    columns.push(
      { name: run + ": calls",
        cell: (r) => r[side] && countText(r[side].calls) },
      { name: "time", cell: (r) => r[side] && timeText(r[side].us) },
      { name: "moved", cell: (r) => r[side]?.bytes &&
        bytesText(r[side].bytes) });
  }
  columns.push({ name: "other by first", cell: change });
  return table(id, columns, rows);
}

function causesOf(run) {
  const causes = new Map();
  for (const e of run.events)
    if (e.cat === "flush") addEvent(addTo(causes, e.name, emptyTotal), e);
  return causes;
}

function compareTables(a, b) {
  return [html("h2", {}, `${a.name} and ${b.name}`),
    compareTable("compare-kinds", "what", a.kinds, b.kinds),
    html("h2", {}, "regions of both"),
    compareTable("compare-regions", "region", a.regions.get("") ?? new Map(),
      b.regions.get("") ?? new Map()),
    html("h2", {}, "flushes of both"),
    compareTable("compare-flushes", "cause", causesOf(a), causesOf(b))];
}

function drawTables(section, run, runs) {
  section.replaceChildren(
    ...(runs.length > 1 ? compareTables(...runs) : []),
    html("h2", {}, `regions of ${run.name}, by the timeline`),
    regionTable(run));
  if (run.report)
    section.append(html("h2", {}, "OP2_REPORT"), reportTable(run.report),
      html("h2", {}, "why it flushed"), flushTable(run.report));
}
