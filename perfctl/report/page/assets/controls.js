// What the reader chooses.
function option(value, text) {
  const o = el('option', '', text);
  o.value = value;
  return o;
}

function fillControls() {
  const metric = document.getElementById('metric'), groups = new Map();
  for (const m of D.metrics) {
    const title = m.part ? 'Parts' : m.label !== m.name || m.name === 'qps' ? 'Main' : m.name.includes('/') ? 'The whole host' : 'Others';
    if (!groups.has(title)) {
      groups.set(title, el('optgroup'));
      groups.get(title).label = title;
    }
    groups.get(title).append(option(m.name, metricText(m)));
  }
  metric.append(...groups.values());
  document.getElementById('clients').append(...clientCounts.map(c => option(c, c === 0 ? 'not known' : c)));
  document.getElementById('clients-field').hidden = clientCounts.length < 2;
  document.getElementById('place').append(...D.places.map((_, i) => option(i, placeName(i))));
  document.getElementById('place-field').hidden = D.places.length < 2;
  document.getElementById('rows').append(...D.workloads.map((w, i) => option(i, 'all metrics of ' + w.name)));
  const versions = document.getElementById('versions');
  versions.hidden = compared.length < 2;
  for (const v of compared) {
    const label = el('label'), box = el('input');
    box.type = 'checkbox';
    box.checked = true;
    box.value = v;
    label.append(box, swatch(v), el('span', '', D.versions[v]));
    versions.append(label);
  }
}

// showControls makes the controls show what is shown.
function showControls() {
  document.getElementById('metric').value = state.metric.name;
  document.getElementById('clients').value = state.clients;
  document.getElementById('place').value = state.place;
  document.querySelector('#show input[value=' + state.show + ']').checked = true;
  document.getElementById('axis').hidden = state.show !== 'ratio';
  for (const box of document.querySelectorAll('#versions input')) box.checked = !state.hidden.has(Number(box.value));
}

// readAddress takes choices from the address, so that a link can carry them.
// What does not fit is left out.
function readAddress() {
  const p = new URLSearchParams(location.hash.slice(1));
  Object.assign(state, {metric: D.metrics[0], clients: clientCounts[0], place: 0, show: 'ratio', axis: null});
  state.metric = byName.get(p.get('metric')) ?? state.metric;
  if (clientCounts.includes(Number(p.get('clients'))) && p.has('clients')) state.clients = Number(p.get('clients'));
  if (/^\d+$/.test(p.get('place')) && Number(p.get('place')) < D.places.length) state.place = Number(p.get('place'));
  if (p.get('show') === 'value') state.show = 'value';
  if (['0', '0.8'].includes(p.get('axis'))) state.axis = Number(p.get('axis'));
}

function writeAddress() {
  const p = new URLSearchParams();
  if (state.metric !== D.metrics[0]) p.set('metric', state.metric.name);
  if (state.clients !== clientCounts[0]) p.set('clients', state.clients);
  if (state.place !== 0) p.set('place', state.place);
  if (state.show !== 'ratio') p.set('show', state.show);
  if (state.axis !== null) p.set('axis', state.axis);
  history.replaceState(null, '', '#' + p);
}

// settle chooses a number of clients that the place has.
function settle() {
  const have = unique(ROWS.filter(r => r.place === state.place).map(r => r.clients));
  if (!have.includes(state.clients)) state.clients = Math.min(...have);
}
