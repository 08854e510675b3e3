// Bars: for each group of workloads the ratios, or the values, of the versions.

// The ends that an axis may have.
const ENDS = [1.1, 1.2, 1.4, 1.6, 2, 2.5, 3, 4, 5, 8, 10, 20, 50, 100];

// ratioScale is one axis for all bars: from the chosen start to an end that has
// room for all but the few that are far off the others. Those are cut.
function ratioScale(cells) {
  const all = cells.map(c => Math.max(c.ratio, Math.min(c.rhigh ?? 0, c.ratio * 1.5))).sort((a, b) => a - b);
  const most = all.at(-1) ?? 1, usual = all[Math.floor(0.8 * (all.length - 1))] ?? 1;
  const room = all.length < 5 ? most : Math.min(most, Math.max(1.2, 1 + 3 * (usual - 1)));
  const end = ENDS.find(e => e >= room) ?? ENDS.at(-1);
  const from = axisFrom(cells.map(c => c.ratio));
  const marks = ticks(from, end, innerWidth < 600 ? 4 : 8);
  if (marks[0] - from > 0.5 * (marks[1] - marks[0])) marks.unshift(from);
  return {from, to: end, ticks: marks, one: true};
}

// axisFrom is where the axis begins: as chosen, else at 0.8 if nearly all of the
// bars can be seen there.
function axisFrom(ratios) {
  if (state.axis !== null) return state.axis;
  return ratios.filter(r => r < 0.81).length > 0.05 * ratios.length ? 0 : 0.8;
}

// barPlot draws one bar, its interval and its cuts.
function barPlot(scale, x, low, high, className) {
  const at = v => (v - scale.from) / (scale.to - scale.from);
  const inside = v => Math.min(1, Math.max(0, at(v)));
  const plot = svg('svg', {class: 'plot', height: 19, 'aria-hidden': 'true'});
  for (const t of scale.ticks) plot.append(svg('line', {class: 'grid', x1: percent(at(t)), x2: percent(at(t)), y1: 0, y2: 19}));
  plot.append(svg('rect', {class: 'bar ' + className, x: 0, y: 3, width: percent(inside(x)), height: 12}));
  if (className === 'unsure') plot.append(svg('rect', {fill: 'url(#hatch)', x: 0, y: 3, width: percent(inside(x)), height: 12}));
  const tear = 'M0,2l4,3.5l-4,3.5l4,3.5l-4,3.5h3l4,-3.5l-4,-3.5l4,-3.5l-4,-3.5z';
  if (scale.from > 0 && x > scale.from) plot.append(svg('svg', {x: '4', overflow: 'visible', class: 'cut start'}, svg('path', {class: 'torn', d: tear})));
  if (x > scale.to) {
    plot.append(svg('svg', {x: '100%', overflow: 'visible', class: 'cut end'},
      svg('path', {class: 'torn', d: 'M-18,2l4,3.5l-4,3.5l4,3.5l-4,3.5h3l4,-3.5l-4,-3.5l4,-3.5l-4,-3.5z'}), svg('path', {class: 'arrow', d: 'M1,4l6,5l-6,5z'})));
  }
  if (x < scale.from) plot.append(svg('svg', {x: 0, overflow: 'visible', class: 'cut below'}, svg('path', {class: 'arrow', d: 'M7,4l-6,5l6,5z'})));
  if (scale.one) plot.append(svg('line', {class: 'one', x1: percent(at(1)), x2: percent(at(1)), y1: 0, y2: 19}));
  if (low !== null && high !== null && at(high) > 0 && at(low) < 1) {
    const ends = [low, high].filter(v => at(v) >= 0 && at(v) <= 1);
    plot.append(svg('line', {class: 'whisker', x1: percent(inside(low)), x2: percent(inside(high)), y1: 9, y2: 9}),
      ...ends.map(v => svg('line', {class: 'whisker', x1: percent(at(v)), x2: percent(at(v)), y1: 6, y2: 12})));
  }
  return plot;
}

// barRow is a version's bar with its name and its numbers.
function barRow(row, c, name, scale) {
  const line = el('div', 'row');
  const label = el('span', 'name', name);
  label.title = name;
  line.append(label);
  const ratio = state.show === 'ratio';
  const x = c ? (ratio ? c.ratio : c.value) : null;
  if (x === null) {
    line.append(el('span', 'why', whyNot(c, row)));
    return line;
  }
  const [low, high] = ratio ? [c.rlow, c.rhigh] : [c.low, c.high];
  const verdict = verdictOf(c);
  const text = ratio ? ratioText(c) : number(x), bounds = ratio ? ratioBounds(c) : valueBounds(c);
  const numbers = el('span', 'number');
  numbers.append(text + ' ');
  if (bounds) numbers.append(el('span', 'interval', bounds + ' '));
  if (verdict) numbers.append(wordOf(verdict));
  if (x > scale.to || x < scale.from) numbers.append(' ', el('span', 'hint', 'cut'));
  line.append(barPlot(scale, x, low, high, verdict), numbers);
  line.title = remarks(c);
  line.dataset.row = row.id;
  return line;
}

function wordOf(verdict) {
  const e = el('span', 'verdict ' + verdict);
  e.append(el('span', 'word', verdict));
  if (verdict) e.setAttribute('aria-label', verdict);
  return e;
}

function axisRow(scale) {
  const line = el('div', 'row axis');
  line.setAttribute('aria-hidden', 'true');
  const plot = svg('svg', {class: 'plot ticks', height: 16});
  for (const t of scale.ticks) {
    plot.append(svg('text', {x: percent((t - scale.from) / (scale.to - scale.from)), y: 12}));
    plot.lastChild.textContent = String(t);
  }
  line.append(el('span'), plot, el('span'));
  return line;
}

// drawBars draws the groups of the chosen place and number of clients.
function drawBars() {
  const box = document.getElementById('bars'), ratio = state.show === 'ratio';
  const shown = rowsAt(state.place, state.clients).filter(r => !ratio || compared.includes(r.version));
  const cells = new Map(shown.map(r => [r.id, cell(state.metric, r)]));
  const scale = ratioScale([...cells.values()].filter(c => c && c.ratio !== null));
  document.querySelector('#axis input[value="' + scale.from + '"]').checked = true;
  box.className = [...cells.values()].some(c => c && (ratio ? c.rlow : c.low) !== null) ? '' : 'bare';
  const single = unique(shown.map(r => r.version)).length === 1;
  box.replaceChildren();
  D.groups.forEach((title, g) => {
    const rows = shown.filter(r => D.workloads[r.workload].group === g);
    if (!rows.length) return;
    const ids = unique(rows.map(r => r.workload));
    const group = el('section', 'group'), head = el('h3', '', title + ' ');
    head.append(el('small', '', (ids.length === 1 ? '1 workload' : ids.length + ' workloads') + (single ? ', ' + D.versions[rows[0].version] : '')));
    group.append(head);
    if (ratio) group.append(axisRow(scale), medianBars(g, scale, ids.length, single));
    const why = alikeWhy(rows, cells, ratio);
    if (why) group.replaceChildren(head, el('p', 'hint', why));
    else for (const w of ids) group.append(workloadBars(w, rows.filter(r => r.workload === w), cells, ratio ? scale : null, single));
    box.append(group);
  });
  if (!shown.length) box.append(el('p', 'hint', 'Nothing was measured here with these choices.'));
  barsNote(scale, [...cells.values()], ratio);
}

// alikeWhy is why none of the rows has a bar, if it is the same for all.
function alikeWhy(rows, cells, ratio) {
  const whys = unique(rows.map(r => {
    const c = cells.get(r.id);
    return c && (ratio ? c.ratio : c.value) !== null ? '' : whyNot(c, r);
  }));
  return whys.length === 1 ? whys[0] : '';
}

// medianBars sum a group up: the median of its workloads' ratios.
function medianBars(g, scale, workloads, single) {
  const block = el('div', 'workload median');
  const medians = (state.metric.medians ?? []).filter(([place, clients, group, version]) => place === state.place && clients === state.clients &&
    group === g && !state.hidden.has(version));
  if (workloads < 2 || !medians.length) return block;
  const title = 'median of the group';
  if (!single) block.append(el('h4', '', title));
  for (const [, , , version, n, median, least, most] of medians) {
    const line = el('div', 'row'), numbers = el('span', 'number', median.toFixed(2) + ' '), name = single ? title : D.versions[version];
    numbers.append(el('span', 'interval', least.toFixed(2) + ' to ' + most.toFixed(2) + (n < workloads ? ' of ' + n : '')));
    line.append(el('span', 'name', name), barPlot(scale, median, null, null, 'median'), numbers);
    block.append(line);
  }
  return block;
}

function workloadBars(w, rows, cells, scale, single) {
  const name = D.workloads[w].name, block = el('div', 'workload');
  block.setAttribute('role', 'group');
  block.setAttribute('aria-label', name);
  if (!scale) { // values: workloads differ by orders of magnitude
    const most = Math.max(0, ...rows.map(r => cells.get(r.id)).filter(c => c && c.value !== null).map(c => Math.max(c.value, c.high ?? 0)));
    scale = {from: 0, to: most || 1, ticks: [], one: false};
  }
  if (!single) block.append(el('h4', '', name));
  for (const r of rows) block.append(barRow(r, cells.get(r.id), single ? name : D.versions[r.version], scale));
  return block;
}

// barsNote says what the bars are, and what is cut.
function barsNote(scale, cells, ratio) {
  const note = document.getElementById('bars-note');
  const verdicts = unique(cells.filter(c => c && (ratio ? c.ratio : c.value) !== null).map(verdictOf));
  const words = {slower: 'slower', faster: 'faster', same: 'same', unsure: 'unsure', '': 'no verdict'};
  const key = document.getElementById('bars-key');
  key.replaceChildren(...Object.keys(words).filter(v => verdicts.includes(v)).map(v => {
    const e = el('span');
    const box = svg('svg', {'aria-hidden': 'true'}, svg('rect', {class: 'bar ' + v, width: 26, height: 12}));
    if (v === 'unsure') box.append(svg('rect', {fill: 'url(#hatch)', width: 26, height: 12}));
    e.append(box, words[v]);
    return e;
  }));
  if (!ratio) {
    note.textContent = metricText(state.metric) + ', ' + where() + '. Each workload has a scale of its own, from 0 to its largest value.';
    return;
  }
  let text = metricText(state.metric) + ': ratio to ' + baseText() + ', ' + where() + '. The line across is 1.';
  if (scale.from > 0) text += ' The axis begins at ' + scale.from + ': bars are torn there, and their lengths do not stand to each other as the ratios do.';
  const beyond = cells.filter(c => c && c.ratio !== null && c.ratio > scale.to).length, below = cells.filter(c => c && c.ratio !== null && c.ratio < scale.from).length;
  if (beyond) text += ' Bars that are torn at the end and cut at ' + scale.to + ': ' + beyond + '.';
  if (below) text += ' Left of the axis (◀): ' + below + '.';
  note.textContent = text;
}

const where = () => clientsText(state.clients) + (D.places.length > 1 ? ', ' + placeName(state.place) : '');
