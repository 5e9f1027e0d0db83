"use strict";
// The graph of a trace: boxes for units, edges for versions, a frame round what
// repeats; zoom by the wheel, moved by the mouse.

const BOX = { letter: 7, least: 120, head: 20, loop: 34, pad: 6 };

// ---- texts -----------------------------------------------------------------

// "alias q → qold", "set rms", "exchange q, adt"
function opText(node) {
  const dats = [...new Set(node.args.map((a) => a.dat))];
  if (node.op === "alias" || node.op === "copy")
    return `${node.name} ${dats.join(" → ")}`;
  const written = node.args.filter((a) => a.out).map((a) => a.dat);
  const named = written.length ? written : dats;
  return node.name + " " + named.slice(0, 3).join(", ") +
    (named.length > 3 ? ", ..." : "");
}

function loopLines(node) {
  const size = [];
  if (node.set) size.push("over " + node.set);
  if (node.bytes) size.push(bytesText(node.bytes));
  const place = node.file ? baseName(node.file) + ":" + node.line : "";
  const name = node.op === "loop" ? node.name : opText(node);
  return [name, [...size, place].filter(Boolean).join(" · ")];
}

function unitTitle(unit) {
  return unit.nodes.length < 2 ? ""
    : `region over ${unit.region.set} · ${bytesText(unit.bytes)}`;
}

function edgeLines(edge) {
  const lines = [...edge.labels.values()];
  return lines.length > 3 ? [...lines.slice(0, 2), "..."] : lines;
}

// ---- sizes and colours -----------------------------------------------------

function measure(unit) {
  const lines = unit.nodes.flatMap(loopLines).concat(unitTitle(unit));
  const letters = Math.max(...lines.map(
    (l, k) => l.length * (k % 2 ? .85 : 1)));
  unit.w = Math.max(BOX.least, letters * BOX.letter + 4 * BOX.pad);
  unit.h = unit.nodes.length * BOX.loop +
    (unitTitle(unit) ? BOX.head : 0) + 2 * BOX.pad;
}

// From white to red, by the share of the slowest.
function heat(share) {
  return `hsl(${50 - 40 * share}, 95%, ${97 - 32 * share}%)`;
}

function colourUnits(units, totals) {
  const each = units.map((u) => {
    u.total = totals?.get(u.name);
    return u.total ? u.total.us / u.total.calls : 0;
  });
  const most = Math.max(...each, 0);
  units.forEach((u, k) => {
    u.colour = most && each[k] ? heat(each[k] / most) : "#f4f5f7";
  });
}

// ---- drawing ---------------------------------------------------------------

function drawLoop(node, x, y, w) {
  const [name, below] = loopLines(node);
  return svg("g", { class: "loop", "data-words": words(node) },
    svg("rect", { x, y, width: w, height: BOX.loop - 3, rx: 3 }),
    svg("text", { x: x + BOX.pad, y: y + 14 }, name),
    svg("text", { x: x + BOX.pad, y: y + 26, class: "small" }, below));
}

// What a search finds it by.
function words(node) {
  return [node.name, node.set, node.file && baseName(node.file),
    ...node.args.map((a) => a.dat)].filter(Boolean).join(" ").toLowerCase();
}

function drawRoot(unit) {
  return [svg("ellipse", { cx: unit.x, cy: unit.y, rx: unit.w / 2,
    ry: unit.h / 2, fill: "#fff" }),
  svg("text", { x: unit.x, y: unit.y + 4, "text-anchor": "middle" },
    opText(unit.nodes[0]))];
}

function drawLoops(unit) {
  const left = unit.x - unit.w / 2;
  const top = unit.y - unit.h / 2;
  const head = unitTitle(unit) ? BOX.head : 0;
  return [svg("rect", { x: left, y: top, width: unit.w, height: unit.h,
    fill: unit.colour }),
  head ? svg("text", { x: left + BOX.pad, y: top + 16, class: "small" },
    unitTitle(unit)) : null,
  ...unit.nodes.map((n, k) => drawLoop(n, left + BOX.pad,
    top + head + BOX.pad + k * BOX.loop, unit.w - 2 * BOX.pad))];
}

function drawUnit(unit) {
  const kind = ["unit", unit.nodes.length > 1 ? "region" : "",
    unit.deferred ? "deferred" : ""].join(" ").trim();
  return svg("g", { class: kind, "data-name": unit.name,
    "data-words": unit.nodes.map(words).join(" ") },
  ...(unit.root ? drawRoot(unit) : drawLoops(unit)));
}

// A smooth line through points from top to bottom.
function curve(points) {
  let d = `M${points[0].x},${points[0].y}`;
  for (let k = 1; k < points.length; k++) {
    const [a, b] = [points[k - 1], points[k]];
    const y = (a.y + b.y) / 2;
    d += ` C${a.x},${y} ${b.x},${y} ${b.x},${b.y}`;
  }
  return d;
}

// Round the right-hand side, back up to the next repeat.
function curveBack(from, to, right) {
  const x = right + 12;
  const [a, b] = [from.x + from.w / 2, to.x + to.w / 2];
  return `M${a},${from.y} C${x},${from.y} ${x},${from.y} ` +
    `${x},${(from.y + to.y) / 2} S${x},${to.y} ${b},${to.y}`;
}

function edgeLabel(edge, at) {
  const lines = edgeLines(edge);
  const first = at.y - (lines.length - 1) * 5.5 + 3;
  return svg("text", {}, ...lines.map((l, k) =>
    svg("tspan", { x: at.x, y: first + 11 * k }, l)));
}

function middleOf(points) {
  const k = Math.floor((points.length - 1) / 2);
  const [a, b] = [points[k], points[k + 1]];
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

function drawEdge(edge, units, right) {
  const [from, to] = [units[edge.from], units[edge.to]];
  if (from === to) return null;
  const d = edge.back ? curveBack(from, to, right) : curve(edge.points);
  const at = edge.back ? { x: right + 12, y: (from.y + to.y) / 2 }
    : middleOf(edge.points);
  return svg("g", { class: edge.back ? "edge back" : "edge" },
    svg("path", { d, "marker-end": "url(#arrow)" }), edgeLabel(edge, at));
}

function frameOf(units) {
  return { left: Math.min(...units.map((u) => u.x - u.w / 2)) - 24,
    right: Math.max(...units.map((u) => u.x + u.w / 2)) + 24,
    top: Math.min(...units.map((u) => u.y - u.h / 2)) - 20,
    bottom: Math.max(...units.map((u) => u.y + u.h / 2)) + 14 };
}

function drawRepeat(segment, k, units) {
  const f = frameOf(units.filter((u) => u.segment === k));
  return svg("g", { class: "repeat" },
    svg("rect", { x: f.left, y: f.top, width: f.right - f.left,
      height: f.bottom - f.top, rx: 8 }),
    svg("text", { x: f.left + 8, y: f.top + 18 }, "× " + segment.count));
}

function arrow() {
  return svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8",
    refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
  svg("path", { d: "M0,0 L8,4 L0,8 z", fill: "#8b939d" })));
}

// ---- a pane ----------------------------------------------------------------

// Moves and scales what is in the picture.
function zoomable(picture, content) {
  const view = { x: 0, y: 0, scale: 1 };
  const apply = () => content.setAttribute("transform",
    `translate(${view.x},${view.y}) scale(${view.scale})`);
  const fit = (frame) => {
    const box = picture.getBoundingClientRect();
    const [w, h] = [frame.right - frame.left, frame.bottom - frame.top];
    view.scale = Math.min(1.2, box.width / w, box.height / h) || 1;
    view.x = (box.width - w * view.scale) / 2 - frame.left * view.scale;
    view.y = (box.height - h * view.scale) / 2 - frame.top * view.scale;
    apply();
  };
  picture.addEventListener("wheel", (e) => {
    e.preventDefault();
    const by = Math.exp(-e.deltaY / 400);
    view.x = e.offsetX - (e.offsetX - view.x) * by;
    view.y = e.offsetY - (e.offsetY - view.y) * by;
    view.scale *= by;
    apply();
  }, { passive: false });
  picture.addEventListener("mousemove", (e) => {
    if (!(e.buttons & 1)) return;
    view.x += e.movementX;
    view.y += e.movementY;
    apply();
  });
  return fit;
}

// The repeat that stands for most units, as what is seen first; else all.
function chiefFrame(graph) {
  const size = (s) => s.count > 1 ? s.count * s.period : 0;
  let chief = 0;
  graph.segments.forEach((s, k) => {
    if (size(s) > size(graph.segments[chief])) chief = k;
  });
  return frameOf(graph.segments[chief].count > 1
    ? graph.units.filter((u) => u.segment === chief) : graph.units);
}

// Draws a stage into a pane; returns what fits all of it, or its chief part, to
// the window.
function drawGraph(pane, trace, options) {
  const graph = foldUnits(makeUnits(trace), options.folded);
  graph.units.forEach(measure);
  colourUnits(graph.units, options.totals);
  layoutGraph(graph);
  const frame = frameOf(graph.units);
  const content = svg("g", {},
    ...graph.segments.map((s, k) => s.count > 1
      ? drawRepeat(s, k, graph.units) : null),
    ...graph.edges.map((e) => drawEdge(e, graph.units, frame.right - 16)));
  for (const unit of graph.units) {
    const box = drawUnit(unit);
    box.addEventListener("mouseenter", () => options.show(unit, trace));
    box.addEventListener("click", () => options.pin(unit, trace, box));
    content.append(box);
  }
  const picture = svg("svg", {}, arrow(), content);
  pane.replaceChildren(html("h2", {}, trace.stage), picture);
  const fit = zoomable(picture, content);
  const wide = (f) => ({ ...f, right: f.right + 40 });
  return (all) => fit(wide(all ? frame : chiefFrame(graph)));
}

// Marks what has the text in it, and fades the rest.
function searchGraph(text) {
  const wanted = text.trim().toLowerCase();
  for (const box of document.querySelectorAll(".unit")) {
    const found = box.dataset.words.includes(wanted);
    box.classList.toggle("dim", wanted !== "" && !found);
    for (const part of [box, ...box.querySelectorAll(".loop")])
      part.classList.toggle("hit", wanted !== "" &&
        part.dataset.words.includes(wanted));
  }
}
