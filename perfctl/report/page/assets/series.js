// Series: releases in order, with the points at which the metric changed.
function drawSeries() {
  const box = document.getElementById('series');
  if (!box) return;
  const m = state.metric, s = m.series;
  box.replaceChildren();
  if (!s) {
    const have = D.metrics.filter(x => x.series).map(metricText);
    box.append(el('p', 'hint', 'Changes from release to release were worked out for ' + (have.join('; ') || 'no metric') + '. For another, make this page with --metric.'));
    return;
  }
  box.append(el('p', 'hint', metricText(m) + ' by release, as the ratio to ' + D.versions[seriesBase(s)] + ', ' + where() +
    '. ◆: the metric changed here, with the change since the release before. Ringed: the next release took it back.'));
  const shown = D.versions.map((_, i) => i).filter(i => !state.hidden.has(i));
  const lines = s.lines.filter(l => l.place === state.place && l.clients === state.clients);
  const charts = el('div', 'charts wide');
  for (const l of lines) {
    const points = [], changes = [];
    shown.forEach((v, x) => {
      const p = l.points[v];
      if (!p) return;
      const change = p.changed ? signedPercent(p.step[0]) : '';
      if (change) changes.push(D.versions[p.from] + ' → ' + D.versions[v] + ' ' + change);
      points.push({x, ratio: p.r[0], low: p.r[1], high: p.r[2], ring: p.odd, change});
    });
    if (points.length < 2) continue;
    charts.append(chart(D.workloads[l.workload].name, changes.length ? changes.slice(0, 3).join('; ') + (changes.length > 3 ? '; …' : '') : 'no change',
      lineChart(shown.map(v => D.versions[v]), [{version: compared[0], name: D.workloads[l.workload].name, points, quiet: points.length > 8}], 170)));
  }
  const details = el('details', 'each');
  details.open = true;
  details.append(el('summary', '', 'Each workload by release'), charts);
  box.append(details, saidBox(s.said));
}

// seriesBase is the version whose ratios are 1.
const seriesBase = () => BASE >= 0 ? BASE : 0;
