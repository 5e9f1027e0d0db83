"use strict";
// Elements, numbers in words.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) node.setAttribute(name, value);
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
}

function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function byId(id) {
  return document.getElementById(id);
}

// 0.00123 -> 1.23 with the prefix that fits
function scaled(value, steps, base) {
  let k = 0;
  while (k + 1 < steps.length && value >= base) {
    value /= base;
    k++;
  }
  const digits = value >= 100 || Number.isInteger(value) ? 0 : 3;
  return (digits ? value.toPrecision(digits) : value.toFixed(0)) + " " +
    steps[k];
}

function bytesText(bytes) {
  return scaled(bytes, ["B", "kB", "MB", "GB", "TB"], 1000);
}

function timeText(us) {
  return scaled(us, ["µs", "ms", "s"], 1000);
}

function rateText(bytes, us) {
  return us > 0 ? (bytes / us / 1000).toPrecision(3) + " GB/s" : "";
}

function countText(n) {
  return n.toLocaleString("en");
}

function severalText(n, word, ending = "s") {
  return countText(n) + " " + word + (n === 1 ? "" : ending);
}

function baseName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

// A list of [name, value] as a definition list; empty values are left out.
function facts(rows) {
  const list = html("dl");
  for (const [name, value] of rows)
    if (value !== undefined && value !== null && value !== "")
      list.append(html("dt", {}, name), html("dd", {}, String(value)));
  return list;
}

// columns: [{name, text: left-aligned, cell: row -> text or [text, class]}]
function table(id, columns, rows) {
  const head = columns.map((c) =>
    html("th", { class: c.text ? "text" : undefined }, c.name));
  const body = rows.map((row) => html("tr", {}, ...columns.map((c) => {
    const cell = [c.cell(row)].flat();
    const kind = [c.text ? "text" : "", cell[1] || ""].join(" ").trim();
    return html("td", { class: kind || undefined }, String(cell[0] || ""));
  })));
  return html("table", { id }, html("thead", {}, html("tr", {}, ...head)),
    html("tbody", {}, ...body));
}

function addTo(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}
