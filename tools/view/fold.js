"use strict";
// Repeats in a list: time steps of a trace, flushes of a run.

// Are keys [a, a + n) and [b, b + n) the same?
function sameKeys(keys, a, b, n) {
  if (b + n > keys.length) return false;
  for (let k = 0; k < n; k++)
    if (keys[a + k] !== keys[b + k]) return false;
  return true;
}

function repeatAt(keys, first, longest) {
  let best = { first, period: 1, count: 1 };
  const most = Math.min(longest, Math.floor((keys.length - first) / 2));
  for (let period = 1; period <= most; period++) {
    let count = 1;
    while (sameKeys(keys, first, first + count * period, period)) count++;
    if (count > 1 && count * period > best.count * best.period)
      best = { first, period, count };
  }
  return best;
}

// The list as segments {first, period, count}: keys [first, first + period),
// count times. From the front on, what covers most; the shortest period of
// those that cover as much.
function fold(keys, longest) {
  const segments = [];
  for (let i = 0; i < keys.length;) {
    const s = repeatAt(keys, i, longest);
    segments.push(s);
    i += s.period * s.count;
  }
  return segments;
}
