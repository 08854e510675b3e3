// Where boxes stand. Positions are shares of the graph's width, so that the page
// may be resized and printed without another layout.
const LEAST = 0.5; // narrower boxes are not drawn, in pixels

// Left edges in each view, in the shown unit.
const left = {};
for (const view in width) {
  const x = new Float64Array(N), used = new Float64Array(N);
  for (let i = 1; i < N; i++) {
    const p = parent[i];
    x[i] = x[p] + used[p];
    used[p] += width[view][i];
  }
  left[view] = x;
}

// scaleOf is what the graph's whole width stands for, zoomed to box z. A and B
// share it.
function scaleOf(view, z) {
  return view === 'd' || !BOTH ? width[view][z] : Math.max(width.a[z], width.b[z]);
}

// place lists the boxes to draw when zoomed to z, callers first: those above z
// as wide as z, and those below that are wide enough.
function place(view, z, pixels) {
  const scale = scaleOf(view, z), w = width[view], boxes = [];
  if (!(scale > 0) || !(w[z] > 0)) return boxes;
  for (let p = parent[z]; p >= 0; p = parent[p]) boxes.unshift({i: p, x: 0, w: w[z] / scale, above: true});
  const least = LEAST / pixels;
  for (let i = z; i < end[z];) {
    const share = w[i] / scale;
    if (i !== z && share < least) {
      i = end[i]; // nothing below is wider
      continue;
    }
    boxes.push({i, x: (left[view][i] - left[view][z]) / scale, w: share, above: false});
    i++;
  }
  return boxes;
}
