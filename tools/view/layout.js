"use strict";
// Where units of a graph lie: in layers from top to bottom, each below all that
// it needs (Sugiyama et al. 1981). An edge over several layers has a bend in
// each, which takes part in the order, so that it leads between the boxes.

const GAP = { x: 26, y: 46, bend: 12, sweeps: 6 };

// The last layer that a unit's sources lie in; -1: it has none.
function layerAbove(sources, layers) {
  return Math.max(-1, ...sources.map((s) => layers[s]));
}

// A repeat has layers of its own, so that a frame can be drawn round it.
function assignLayers(graph) {
  const layers = [];
  let base = 0;
  let last = -1;
  graph.units.forEach((u, i) => {
    const before = graph.units[i - 1];
    const apart = (k) => graph.segments[k].count > 1;
    if (before && before.segment !== u.segment &&
        (apart(before.segment) || apart(u.segment)))
      base = last + 1;
    const sources = graph.edges.filter((e) => e.to === i && !e.back)
      .map((e) => e.from);
    layers[i] = Math.max(base, layerAbove(sources, layers) + 1);
    last = Math.max(last, layers[i]);
  });
  return layers;
}

// rows[layer]: boxes and bends, with their neighbours above and below.
function makeRows(graph, layers) {
  const rows = [];
  const place = (layer, cell) => {
    (rows[layer] ??= []).push(cell);
    return cell;
  };
  const cells = graph.units.map((unit, i) => place(layers[i],
    { unit, w: unit.w, h: unit.h, above: [], below: [] }));
  for (const e of graph.edges.filter((edge) => !edge.back)) {
    e.cells = [cells[e.from]];
    for (let l = layers[e.from] + 1; l < layers[e.to]; l++)
      e.cells.push(place(l, { w: GAP.bend, h: 0, above: [], below: [] }));
    e.cells.push(cells[e.to]);
    for (let k = 1; k < e.cells.length; k++) {
      e.cells[k].above.push(e.cells[k - 1]);
      e.cells[k - 1].below.push(e.cells[k]);
    }
  }
  return rows;
}

function mean(values) {
  return values.reduce((sum, v) => sum + v, 0) / values.length;
}

// Left to right without gaps, as they are in the row.
function packRow(row) {
  let x = 0;
  for (const c of row) {
    c.x = x + c.w / 2;
    x += c.w + (c.unit ? GAP.x : GAP.bend);
  }
  const middle = x / 2;
  for (const c of row) c.x -= middle;
}

function sortRow(row, side) {
  const wish = new Map(row.map((c) =>
    [c, c[side].length ? mean(c[side].map((o) => o.x)) : c.x]));
  row.sort((a, b) => wish.get(a) - wish.get(b));
  packRow(row);
}

function orderRows(rows) {
  rows.forEach(packRow);
  for (let k = 0; k < GAP.sweeps; k++) {
    for (let r = 1; r < rows.length; r++) sortRow(rows[r], "above");
    for (let r = rows.length - 2; r >= 0; r--) sortRow(rows[r], "below");
  }
}

// Towards the middle of its neighbours, in the same order.
function straighten(row) {
  for (const c of row) {
    const near = [...c.above, ...c.below];
    c.wish = near.length ? mean(near.map((o) => o.x)) : c.x;
  }
  const space = (a, b) => (a.w + b.w) / 2 + GAP.x / 2;
  for (let k = 0; k < row.length; k++)
    row[k].x = k ? Math.max(row[k].wish, row[k - 1].x + space(row[k - 1],
      row[k])) : row[k].wish;
  const drift = mean(row.map((c) => c.x - c.wish));
  for (const c of row) c.x -= drift;
}

function stackRows(rows) {
  let y = 0;
  for (const row of rows) {
    const h = Math.max(...row.map((c) => c.h));
    for (const c of row) c.y = y + h / 2;
    y += h + GAP.y;
  }
}

// Units get the middle of their boxes, edges their points.
function layoutGraph(graph) {
  const rows = makeRows(graph, assignLayers(graph));
  orderRows(rows);
  for (let k = 0; k < GAP.sweeps; k++) rows.forEach(straighten);
  stackRows(rows);
  for (const c of rows.flat())
    if (c.unit) Object.assign(c.unit, { x: c.x, y: c.y });
  for (const e of graph.edges.filter((edge) => !edge.back)) {
    const [from, to] = [e.cells[0], e.cells.at(-1)];
    e.points = [{ x: from.x, y: from.y + from.h / 2 },
      ...e.cells.slice(1, -1).map((c) => ({ x: c.x, y: c.y })),
      { x: to.x, y: to.y - to.h / 2 }];
  }
}
