// The graph's numbers. Boxes are counted in the order of a walk from the root,
// so that all below box i are i+1 to end[i]-1.
const D = JSON.parse(document.getElementById('data').textContent);
const N = D.depth.length;
const BOTH = D.sides.length === 2;
const KERNEL = 1, INLINED = 2, TAKEN = 4, FOLDED = 8;

const parent = new Int32Array(N), end = new Int32Array(N);
const above = [];
for (let i = 0; i < N; i++) {
  parent[i] = D.depth[i] ? above[D.depth[i] - 1] : -1;
  above[D.depth[i]] = i;
}

// Per side: own cost and cost with all below, in the shown unit, and how many
// samples each of both is of.
const self = [], total = [], ownSamples = [], samples = [];
D.sides.forEach((side, s) => {
  const per = side.operations * D.divisor;
  self.push(Float64Array.from(D.self[s], w => w / per));
  total.push(sumUp(Float64Array.from(D.self[s])).map(w => w / per));
  ownSamples.push(D.samples ? D.samples[s] : null);
  samples.push(D.samples ? sumUp(Float64Array.from(D.samples[s])) : null);
});

for (let i = N - 1; i >= 0; i--) {
  if (!end[i]) end[i] = i + 1;
  const p = parent[i];
  if (p >= 0 && end[p] < end[i]) end[p] = end[i];
}

// sumUp adds to each box all below it, in place.
function sumUp(v) {
  for (let i = N - 1; i > 0; i--) v[parent[i]] += v[i];
  return v;
}

// Widths in each view, in the shown unit. The difference holds at each place the
// larger of both, so a box may be wider than on either side.
const width = {a: total[0]};
if (BOTH) {
  width.b = total[1];
  width.d = sumUp(self[0].map((a, i) => Math.max(a, self[1][i])));
}

const field = (i, n) => D.frames[4 * D.frame[i] + n];
const nameOf = i => D.strings[field(i, 0)];
const objectOf = i => D.strings[field(i, 1)];
const groupOf = i => D.strings[field(i, 2)];
const has = (i, flag) => (field(i, 3) & flag) !== 0;

// change is B - A of a box, with all below or its own.
const change = (i, own) => own ? self[1][i] - self[0][i] : total[1][i] - total[0][i];

// error is the standard error of change(i, own), from the numbers of samples;
// null where there are none.
function error(i, own) {
  if (!D.samples) return null;
  const cost = own ? self : total, count = own ? ownSamples : samples;
  let square = 0;
  for (const s of [0, 1]) {
    if (cost[s][i] === 0) continue;
    if (count[s][i] === 0) return null;
    square += cost[s][i] ** 2 / count[s][i];
  }
  return Math.sqrt(square);
}

// unsure tells that a box's change may be due to sampling alone.
function unsure(i, own) {
  const e = error(i, own);
  return e !== null && Math.abs(change(i, own)) < 2 * e;
}

// fate is 'new' or 'gone' for code that only one side has.
function fate(i) {
  if (!BOTH || has(i, FOLDED) || unsure(i)) return '';
  if (total[0][i] === 0 && total[1][i] > 0) return 'new';
  if (total[1][i] === 0 && total[0][i] > 0) return 'gone';
  return '';
}
