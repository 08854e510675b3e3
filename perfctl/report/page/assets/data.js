// The data that the page was made with, and what is asked of it.
const D = JSON.parse(document.getElementById('data').textContent);
const ROWS = [];
for (let i = 0; i < D.rows.length; i += 6) {
  const [place, workload, clients, version, runs, against] = D.rows.slice(i, i + 6);
  ROWS.push({id: i / 6, place, workload, clients, version, runs, against});
}
const BASE = D.versions.indexOf(D.base); // -1: each version to the one before it

// cell is a metric's value in a row, or null.
function cell(metric, row) {
  metric.where ??= metric.at && new Map(metric.at.map((id, i) => [id, i]));
  const i = metric.where ? metric.where.get(row.id) : row.id;
  if (i === undefined) return null;
  const at = column => column ? column[i] : null;
  const judged = metric.judged[i];
  return {value: at(metric.value), low: at(metric.low), high: at(metric.high), fact: D.facts[metric.fact[i]],
    ratio: at(metric.ratio), rlow: at(metric.rlow), rhigh: at(metric.rhigh), judged: judged < 0 ? null : D.judged[judged]};
}

const byName = new Map(D.metrics.map(m => [m.name, m]));
const unique = list => [...new Set(list)];
const clientCounts = unique(ROWS.map(r => r.clients)).sort((a, b) => a - b);
// The versions that have ratios.
const compared = D.versions.map((_, i) => i).filter(i => i !== BASE && (BASE >= 0 || i > 0));

// What is shown. The axis begins at 0.8 or 0, or (null) at what suits the data.
const state = {metric: D.metrics[0], clients: clientCounts[0], place: 0, show: 'ratio', axis: null, hidden: new Set()};

// at are the rows of one place, with the hidden versions left out.
const rowsAt = (place, clients) => ROWS.filter(r => r.place === place && (clients === undefined || r.clients === clients) && !state.hidden.has(r.version));

// placeName says of a place what tells it from the others.
function placeName(place) {
  const parts = D.places[place].filter((part, i) => i === 0 || D.places.some(p => p[i] !== part));
  return parts.filter(p => p).join(', ');
}
