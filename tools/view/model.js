"use strict";
// What the tool wrote into the page, and what follows from it.

// Events of all ranks, by time; each has pid (the rank), tid, cat, ts and dur.
function allEvents(run) {
  const events = run.timelines.flatMap((t) => t.events)
    .filter((e) => e.ph === "X");
  return events.sort((a, b) => a.ts - b.ts);
}

// Of each rank's flushes which program the regions in them belong to.
function programOfEvents(events) {
  const open = new Map(); // rank -> its flush, the last that began
  for (const e of events) {
    if (e.cat === "flush") open.set(e.pid, e);
    const flush = open.get(e.pid);
    if (e.cat === "region" && flush && e.ts <= flush.ts + flush.dur)
      e.program = flush.args.program;
  }
}

function emptyTotal() {
  return { calls: 0, us: 0, bytes: 0, elements: 0 };
}

function addEvent(total, e) {
  total.calls++;
  total.us += e.dur;
  total.bytes += e.args?.bytes ?? 0;
  total.elements += e.args?.elements ?? 0;
  total.last = e;
}

// A front goes by in pieces; its regions are events of their own beside it.
function isFront(e) {
  return e.cat === "region" && e.args?.piece !== undefined;
}

// Totals by region name, for each program and for all ("").
function regionTotals(events) {
  const totals = new Map();
  for (const e of events) {
    if (e.cat !== "region" || isFront(e)) continue;
    for (const program of [e.program, ""]) {
      const names = addTo(totals, program, () => new Map());
      addEvent(addTo(names, e.name, emptyTotal), e);
    }
  }
  return totals;
}

// Totals by kind, of all events.
function kindTotals(events) {
  const kinds = new Map();
  for (const e of events)
    if (!isFront(e)) addEvent(addTo(kinds, e.cat, emptyTotal), e);
  return kinds;
}

// Runs of each program: how often, how long.
function programTotals(events) {
  const programs = new Map();
  for (const e of events)
    if (e.cat === "flush")
      addEvent(addTo(programs, e.args.program, emptyTotal), e);
  return programs;
}

// Stages of each program, in order: program -> [trace ...].
function tracesByProgram(run) {
  const programs = new Map();
  for (const t of run.traces)
    addTo(programs, t.program, () => []).push(t);
  return programs;
}

function prepareRun(run) {
  run.events = allEvents(run);
  programOfEvents(run.events);
  run.regions = regionTotals(run.events);
  run.kinds = kindTotals(run.events);
  run.flushes = programTotals(run.events);
  run.programs = tracesByProgram(run);
  run.reported = new Map((run.report?.regions ?? []).map((r) => [r.name, r]));
  return run;
}

// ---- a trace as units: regions, and nodes outside of regions ---------------

function unitName(nodes) {
  return nodes.map((n) => n.name).join("+");
}

// The same for the same work in another time step: versions don't count.
function unitKey(unit) {
  const parts = unit.nodes.map((n) => [n.name, n.set, n.deferred,
    n.args.map((a) => [a.access, a.dat.replace(/'\d+$/, ""), a.map, a.entry])]);
  return JSON.stringify([parts, unit.region?.walk]);
}

function makeUnits(trace) {
  const units = [];
  const unitOf = [];
  trace.nodes.forEach((node, i) => {
    const region = node.region === undefined ? null
      : trace.regions[node.region];
    if (!region || region.first === i)
      units.push({ region, nodes: [], index: units.length });
    units.at(-1).nodes.push(node);
    unitOf[i] = units.length - 1;
  });
  for (const u of units) {
    u.name = unitName(u.nodes);
    u.bytes = u.region?.bytes ?? u.nodes[0].bytes;
    u.deferred = u.nodes[0].deferred;
    u.root = u.nodes[0].root;
  }
  return { units, edges: makeEdges(trace, unitOf) };
}

// One for each version that leads from a unit to another.
function makeEdges(trace, unitOf) {
  const edges = [];
  trace.nodes.forEach((node, i) => {
    for (const a of node.args)
      if (a.from !== undefined && unitOf[a.from] !== unitOf[i])
        edges.push({ from: unitOf[a.from], to: unitOf[i], value: a.in,
          dat: a.dat, access: a.access });
  });
  return edges;
}

// Units shown, each standing for those of all repeats, and edges between them.
function foldUnits(graph, folded) {
  const keys = graph.units.map(unitKey);
  const segments = fold(keys, folded ? 500 : 0);
  const shown = [];
  const standsFor = [];
  segments.forEach((s, k) => {
    for (let i = 0; i < s.period * s.count; i++)
      standsFor[s.first + i] = shown.length + (i % s.period);
    for (let i = 0; i < s.period; i++)
      shown.push({ ...graph.units[s.first + i], segment: k });
  });
  return { units: shown, segments,
    edges: foldEdges(graph.edges, standsFor) };
}

// Edges of repeats fall together; those into the next repeat lead back.
function foldEdges(edges, standsFor) {
  const merged = new Map();
  for (const e of edges) {
    const from = standsFor[e.from];
    const to = standsFor[e.to];
    const m = addTo(merged, from + ">" + to, () =>
      ({ from, to, back: to <= from, labels: new Map() }));
    addTo(m.labels, e.dat + " " + e.access, () => e.access + " " + e.value);
  }
  return [...merged.values()];
}
