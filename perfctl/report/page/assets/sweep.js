// Sweep: ratios by the number of clients.
const fasterFrom = l => l.kind === 'always' ? 'faster at every number' : l.kind === 'from' ? 'faster from ' + clientsText(l.from) + ' on' :
  l.kind === 'never' ? 'not faster at the most clients' : 'unsure at the most clients';

function drawSweep() {
  const box = document.getElementById('sweep');
  if (!box) return;
  const m = state.metric, s = m.sweep;
  box.replaceChildren();
  if (!s) {
    box.append(el('p', 'hint', m.sense === 0 ? 'Of ' + metricText(m) + ' more is neither faster nor slower: choose another metric.' :
      'There are no ratios of ' + metricText(m) + ' at several numbers of clients.'));
    return;
  }
  const shown = l => l.place === state.place && !state.hidden.has(l.version);
  const groups = s.groups.filter(l => shown(l) && !l.all);
  const counts = unique(rowsAt(state.place).map(r => r.clients)).sort((a, b) => a - b), xs = counts.map(String);
  const xOf = new Map(counts.map((c, i) => [c, i]));
  box.append(el('p', 'hint', metricText(m) + ': ratio to ' + baseText() + (D.places.length > 1 ? ', ' + placeName(state.place) : '') +
    ', by the number of clients, which are set evenly. Lines are medians of a group; thin uprights are their intervals.'), legend(unique(groups.map(l => l.version))));
  const charts = el('div', 'charts wide');
  for (const g of unique(groups.map(l => l.group))) {
    const lines = groups.filter(l => l.group === g).map(l => ({version: l.version, name: D.versions[l.version], points: l.points.map(([clients, ratio, low, high]) =>
      ({x: xOf.get(clients), ratio, low, high}))}));
    charts.append(chart(D.groups[g], 'median', lineChart(xs, lines, 240)));
  }
  box.append(charts, saidBox(s.said), sweepWorkloads(s.lines.filter(shown), xs, xOf));
}

// sweepWorkloads are small charts, a workload each, drawn when they are opened.
function sweepWorkloads(lines, xs, xOf) {
  const details = el('details', 'each');
  details.append(el('summary', '', 'Each workload by the number of clients'));
  const ids = unique(lines.map(l => l.workload));
  details.addEventListener('toggle', () => {
    if (!details.open || details.querySelector('.charts')) return;
    const charts = el('div', 'charts'), rows = rowsAt(state.place);
    for (const w of ids) {
      const of = lines.filter(l => l.workload === w);
      const drawn = of.map(l => ({version: l.version, name: D.versions[l.version], points: rows.filter(r => r.workload === w && r.version === l.version)
        .map(r => ({r, c: cell(state.metric, r)})).filter(({c}) => c && c.ratio !== null)
        .map(({r, c}) => ({x: xOf.get(r.clients), ratio: c.ratio, low: c.rlow, high: c.rhigh, ring: l.odd !== null && l.odd.includes(r.clients)})).sort((a, b) => a.x - b.x)}));
      charts.append(chart(D.workloads[w].name, of.length <= 3 ? of.map(l => (of.length > 1 ? D.versions[l.version] + ' ' : '') + fasterFrom(l)).join('; ') : '', lineChart(xs, drawn, 170)));
    }
    details.append(el('p', 'hint', 'Ringed: an odd step, a fall or rise that the neighbouring numbers of clients do not share.'), charts);
  });
  return details;
}
