"use strict";
// What each rank and thread did when. Events too short to be seen are drawn
// together, so that a picture has few thousand boxes however long the run was.

const ROW = { height: 18, label: 130, axis: 20, least: 1.5, letter: 6 };
const KINDS = { flush: "#b9c4d0", passes: "#c7b3e0", compile: "#9d7cc9",
  plan: "#d9a5c4", mesh: "#c9b79c", region: "#5b9bd5", share: "#5b9bd5",
  exchange: "#e0a24c", transfer: "#d9705f", copy: "#8aa86b" };
const TEAM = 1000; // from here on threads of a region's team

// ---- rows ------------------------------------------------------------------

function rowKey(e) {
  if (e.cat === "share") return "thread " + (e.tid - TEAM);
  return e.cat === "compile" && e.tid ? "compile " + e.tid : e.cat;
}

// Rows by rank, then kind: {label, rank, kind, events}.
function timelineRows(run) {
  const rows = new Map();
  const ranks = new Set(run.events.map((e) => e.pid)).size;
  for (const e of run.events) {
    const label = (ranks > 1 ? `rank ${e.pid} ` : "") + rowKey(e);
    addTo(rows, label, () =>
      ({ label, rank: e.pid, kind: e.cat, thread: e.tid, events: [] }))
      .events.push(e);
  }
  const order = Object.keys(KINDS);
  return [...rows.values()].sort((a, b) => a.rank - b.rank ||
    order.indexOf(a.kind) - order.indexOf(b.kind) || a.thread - b.thread);
}

// Runs of flushes that repeat, as events of a row of its own.
function repeatRow(run) {
  const flushes = run.events.filter((e) => e.cat === "flush" &&
    e.pid === run.events[0].pid);
  const segments = fold(flushes.map((e) => e.args.program), 32);
  const events = segments.map((s) => {
    const all = flushes.slice(s.first, s.first + s.period * s.count);
    const programs = all.slice(0, s.period).map((e) => e.args.program);
    const end = all.at(-1).ts + all.at(-1).dur;
    return { name: `${programs.join(" ")} × ${s.count}`, cat: "repeats",
      pid: all[0].pid, ts: all[0].ts, dur: end - all[0].ts,
      args: { programs, count: s.count } };
  });
  return { label: "programs", kind: "repeats", events };
}

// ---- drawing ---------------------------------------------------------------

function hue(name) {
  let h = 0;
  for (const c of name) h = (h * 31 + c.charCodeAt(0)) % 360;
  return `hsl(${h}, 45%, 68%)`;
}

// Regions by their names, but for several in a box.
function boxColour(box) {
  const e = box.events[0];
  const named = e.cat === "region" || e.cat === "share";
  return named && box.events.length === 1 ? hue(e.name)
    : KINDS[e.cat] ?? "#dfe4ea";
}

// Those in sight, as boxes {x, w, events}; neighbours below the least width
// share one.
function boxesOf(events, view) {
  const boxes = [];
  for (const e of events) {
    if (e.ts + e.dur < view.begin || e.ts > view.end) continue;
    const x = Math.max(view.x(e.ts), 0);
    const w = view.x(e.ts + e.dur) - x;
    const last = boxes.at(-1);
    if (w < ROW.least && last?.short && x < last.x + last.w + ROW.least) {
      last.events.push(e);
      last.w = Math.max(last.w, x + w - last.x, ROW.least);
    } else {
      boxes.push({ x, w: Math.max(w, ROW.least), short: w < ROW.least,
        events: [e] });
    }
  }
  return boxes;
}

function drawBox(box, y, width) {
  const e = box.events[0];
  const w = Math.min(box.w, width - box.x);
  const rect = svg("rect", { class: "event", x: ROW.label + box.x, y: y + 2,
    width: w, height: ROW.height - 4, fill: boxColour(box) });
  rect.addEventListener("mouseenter", () =>
    box.events.length > 1 ? showSeveral(box.events) : showEvent(e));
  const letters = Math.floor((w - 6) / ROW.letter);
  if (letters < 4 || box.events.length > 1) return [rect];
  return [rect, svg("text", { class: "inside", x: ROW.label + box.x + 3,
    y: y + ROW.height - 6 }, e.name.slice(0, letters))];
}

function drawRow(row, k, view) {
  const y = ROW.axis + k * ROW.height;
  return svg("g", { class: "row", "data-row": row.label,
    "data-events": row.events.length },
  svg("text", { x: 4, y: y + ROW.height - 5 }, row.label),
  ...boxesOf(row.events, view).flatMap((b) => drawBox(b, y, view.width)));
}

// About eight marks, at 1, 2 or 5 times a power of ten.
function drawAxis(view, height) {
  const span = view.end - view.begin;
  const power = 10 ** Math.floor(Math.log10(span / 8));
  const step = power * [1, 2, 5, 10].find((s) => span / (s * power) <= 8);
  const marks = [];
  for (let t = Math.ceil(view.begin / step) * step; t < view.end; t += step) {
    const x = ROW.label + view.x(t);
    marks.push(svg("line", { class: "grid", x1: x, x2: x, y1: ROW.axis,
      y2: height }), svg("text", { x, y: 14, class: "small" }, timeText(t)));
  }
  return marks;
}

// ---- the section -----------------------------------------------------------

function drawTimeline(section, run) {
  section.replaceChildren();
  if (!run.events.length) return;
  const rows = [repeatRow(run), ...timelineRows(run)];
  const height = ROW.axis + rows.length * ROW.height + 4;
  const picture = svg("svg", { height });
  const end = Math.max(...rows.flatMap((r) => r.events.at(-1))
    .map((e) => e.ts + e.dur));
  const view = { begin: run.events[0].ts, end };
  section.append(picture);
  const draw = () => {
    view.width = section.clientWidth - ROW.label - 16;
    view.x = (t) => (t - view.begin) / (view.end - view.begin) * view.width;
    picture.replaceChildren(...drawAxis(view, height),
      ...rows.map((r, k) => drawRow(r, k, view)));
  };
  moveTimeline(picture, view, draw);
  draw();
}

// The wheel zooms where the mouse is (with shift the list scrolls), dragging
// moves.
function moveTimeline(picture, view, draw) {
  const redraw = () => requestAnimationFrame(draw);
  picture.addEventListener("wheel", (e) => {
    if (e.shiftKey) return;
    e.preventDefault();
    const span = view.end - view.begin;
    const at = view.begin + (e.offsetX - ROW.label) / view.width * span;
    const by = Math.exp(e.deltaY / 400);
    view.begin = at - (at - view.begin) * by;
    view.end = at + (view.end - at) * by;
    redraw();
  }, { passive: false });
  picture.addEventListener("mousemove", (e) => {
    if (!(e.buttons & 1)) return;
    const by = e.movementX / view.width * (view.end - view.begin);
    view.begin -= by;
    view.end -= by;
    redraw();
  });
}
