// Charts of lines: ratios over the numbers of clients, or over releases.

// lineChart draws lines over the labels xs. A line is {version, name, points}, a
// point {x: place in xs, ratio, low, high, ring: it is odd, change: what to
// write at a change}.
function lineChart(xs, lines, height) {
  const values = [1];
  for (const l of lines) {
    for (const p of l.points) values.push(p.ratio, ...[p.low, p.high].filter(v => v !== null && Math.abs(v - p.ratio) < 1 + p.ratio));
  }
  let lo = Math.min(...values), hi = Math.max(...values);
  const pad = Math.max(0.02, (hi - lo) * 0.08);
  lo = Math.max(0, lo - pad);
  hi += pad;
  const top = 14, bottom = height - 20;
  const y = v => Number((bottom - (Math.min(hi, Math.max(lo, v)) - lo) / (hi - lo) * (bottom - top)).toFixed(2));
  const x = i => percent((i + 0.5) / xs.length);
  const left = svg('svg', {class: 'plot', height}), plot = svg('svg', {class: 'plot', height});
  for (const t of ticks(lo, hi, 5)) {
    left.append(textAt(34, y(t) + 4, String(t), 'y'));
    plot.append(svg('line', {class: t === 1 ? 'one' : 'grid', x1: 0, x2: '100%', y1: y(t), y2: y(t)}));
  }
  if (!plot.querySelector('.one')) plot.append(svg('line', {class: 'one', x1: 0, x2: '100%', y1: y(1), y2: y(1)}));
  const skip = Math.ceil(xs.reduce((n, l) => n + l.length + 2, 0) / 44); // labels that would not fit
  xs.forEach((l, i) => { if (i % skip === 0) plot.append(textAt(x(i), height - 4, l.length > 14 ? l.slice(0, 13) + '…' : l, 'x')); });
  for (const l of lines) plot.append(drawLine(l, x, y, xs));
  const frame = el('div', 'frame');
  frame.setAttribute('role', 'img');
  frame.setAttribute('aria-label', lines.map(l => l.name + ': ' + l.points.map(p => xs[p.x] + ': ' + p.ratio.toFixed(2)).join(', ')).join('. '));
  frame.append(left, plot);
  return frame;
}

function textAt(x, y, text, className) {
  const e = svg('text', {x, y, class: className});
  e.textContent = text;
  return e;
}

function drawLine(l, x, y, xs) {
  const k = look(l.version), g = svg('g', {class: 'line ' + k.dash, 'data-version': l.version});
  l.points.forEach((p, i) => {
    if (i > 0) {
      const q = l.points[i - 1];
      g.append(svg('line', {class: 'path ' + k.tone, x1: x(q.x), x2: x(p.x), y1: y(q.ratio), y2: y(p.ratio)}));
    }
    if (p.low !== null && p.high !== null) g.append(svg('line', {class: 'bound ' + k.tone, x1: x(p.x), x2: x(p.x), y1: y(p.low), y2: y(p.high)}));
  });
  for (const p of l.points) {
    const m = marker(x(p.x), y(p.ratio), k.shape, 'marker ' + k.tone);
    if (p.change) m.append(svg('path', {class: 'changed', d: 'M0,-6.5L6.5,0L0,6.5L-6.5,0z'}));
    if (p.ring) m.append(svg('circle', {class: 'ring', r: 9}));
    const bounds = boundsText(p.low, p.high, v => v.toFixed(3));
    g.append(hint(m, l.name + ', ' + xs[p.x] + ': ' + p.ratio.toFixed(3) + (bounds ? ' ' + bounds : '') + (p.change ? ', ' + p.change : '')));
    if (p.change && !l.quiet) g.append(textAt(x(p.x), y(p.ratio) - 10, p.change, 'change'));
  }
  return g;
}

function chart(title, small, frame) {
  const f = el('figure', 'chart'), caption = el('figcaption');
  caption.append(el('b', '', title), ' ', el('small', '', small));
  f.append(caption, frame);
  return f;
}

// saidBox lists sentences below their titles.
function saidBox(said) {
  const box = el('div', 'said');
  for (const s of said ?? []) {
    const list = el('ul');
    list.append(...s.texts.map(t => el('li', '', t)));
    if (s.texts.length <= 8) {
      box.append(el('h4', '', s.title), list);
      continue;
    }
    const details = el('details');
    details.append(el('summary', '', s.title + ' (' + s.texts.length + ')'), list);
    box.append(details);
  }
  return box;
}

// legend shows how versions are drawn.
function legend(versions) {
  const p = el('p', 'key');
  for (const v of versions) {
    const e = el('span');
    e.append(swatch(v), D.versions[v]);
    p.append(e);
  }
  return p;
}
