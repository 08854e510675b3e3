// The page's start, and its answers to the reader.

// about says where the chosen metric's numbers are from.
function drawAbout() {
  const cells = rowsAt(state.place, state.clients).map(r => cell(state.metric, r)).filter(c => c);
  const facts = unique(cells.map(c => c.fact));
  const from = unique(facts.map(f => [f.source, f.scope].filter(t => t).join(', ')).filter(t => t)), per = unique(facts.map(f => f.per).filter(t => t));
  const ns = facts.map(f => f.n), least = Math.min(...ns), most = Math.max(...ns);
  const lacking = cells.filter(c => c.value === null).length;
  const parts = [metricText(state.metric) + (state.metric.sense < 0 ? ': less is better' : state.metric.sense > 0 ? ': more is better' : '')];
  if (from.length) parts.push('source: ' + from.join(' | '));
  if (per.length && per[0] !== 'second') parts.push('per ' + per.join(', '));
  if (most > 0) parts.push((least === most ? least : least + ' to ' + most) + (most === 1 ? ' server start or run' : ' server starts or runs') + ' behind each value');
  if (lacking) parts.push(lacking + ' of ' + cells.length + ' values are lacking, with reasons in the table');
  document.getElementById('about').textContent = parts.join('; ') + '.';
}

function draw() {
  settle();
  showControls();
  drawAbout();
  drawBars();
  drawSweep();
  drawSeries();
  drawTable();
}

const CHOICES = {
  metric: v => { state.metric = byName.get(v); },
  clients: v => { state.clients = Number(v); },
  place: v => { state.place = Number(v); },
  show: v => { state.show = v; },
  axis: v => { state.axis = Number(v); },
};

document.querySelector('form.controls').addEventListener('change', e => {
  const what = e.target.name || e.target.id;
  if (CHOICES[what]) CHOICES[what](e.target.value);
  else if (e.target.checked) state.hidden.delete(Number(e.target.value));
  else state.hidden.add(Number(e.target.value));
  rowsShown.all = false;
  draw();
  writeAddress();
});
document.querySelector('form.controls').addEventListener('submit', e => e.preventDefault());
document.getElementById('rows').addEventListener('change', drawTable);
document.getElementById('table').addEventListener('click', e => {
  const b = e.target.closest('thead button');
  if (b) sortBy(b.dataset.column);
});
document.getElementById('more').addEventListener('click', () => {
  rowsShown.all = true;
  drawTable();
});
addEventListener('beforeprint', () => { for (const d of document.querySelectorAll('details.notes, header details, .said details')) d.open = true; });
addEventListener('hashchange', () => { readAddress(); draw(); });
fillControls();
readAddress();
document.querySelector('main').hidden = false;
draw();
