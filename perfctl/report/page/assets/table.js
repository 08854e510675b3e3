// The sortable table: all workloads for the chosen metric, or all metrics of one
// workload.
const COLUMNS = [
  {name: 'workload', text: x => D.workloads[x.row.workload].name, head: true},
  {name: 'metric', text: x => metricText(x.metric), head: true},
  {name: 'version', text: x => D.versions[x.row.version]},
  {name: 'clients', number: x => x.row.clients, text: x => String(x.row.clients)},
  {name: 'value', number: x => x.c.value, text: x => x.c.value === null ? '–' : number(x.c.value)},
  {name: 'interval', text: x => valueBounds(x.c), numeric: true, number: x => x.c.low},
  {name: 'ratio', number: x => x.c.ratio, text: x => x.c.ratio === null ? (x.row.version === BASE ? 'base' : '–') : ratioText(x.c)},
  {name: 'ratio’s interval', number: x => x.c.rlow, text: x => ratioBounds(x.c)},
  {name: 'verdict', text: x => verdictOf(x.c), node: x => verdictOf(x.c) ? wordOf(verdictOf(x.c)) : null, number: x => RANK[verdictOf(x.c)], words: true},
  {name: 'n', number: x => x.c.fact.n, text: x => String(x.c.fact.n)},
  {name: 'source', text: x => [x.c.fact.source, x.c.fact.scope].filter(t => t).join(', ')},
  {name: 'per', text: x => x.c.fact.per},
  {name: 'state, reasons', text: x => remarks(x.c) || 'ok'},
];
const RANK = {slower: 0, unsure: 1, faster: 2, same: 3, '': 4};
const ROOM = 500; // rows drawn at first
const sorted = {by: '', down: false};
const rowsShown = {all: false};

function tableRows() {
  const chosen = document.getElementById('rows').value, list = [];
  if (chosen === '') {
    for (const row of rowsAt(state.place, state.clients)) {
      const c = cell(state.metric, row);
      if (c) list.push({row, c, metric: state.metric});
    }
    return list;
  }
  for (const metric of D.metrics) {
    for (const row of rowsAt(state.place, state.clients).filter(r => r.workload === Number(chosen))) {
      const c = cell(metric, row);
      if (c) list.push({row, c, metric});
    }
  }
  return list;
}

function compareBy(column, down) {
  const flip = down ? -1 : 1;
  if (!column.number) return (a, b) => flip * column.text(a).localeCompare(column.text(b), 'en', {numeric: true});
  return (a, b) => {
    const x = column.number(a), y = column.number(b);
    if (x === null || y === null) return (x === null) - (y === null); // what is not known is last, either way
    return flip * (x - y);
  };
}

function drawTable() {
  const one = document.getElementById('rows').value !== '';
  const columns = COLUMNS.filter(c => c.name !== (one ? 'workload' : 'metric') && (c.name !== 'clients' || clientCounts.length > 1));
  if (D.evidence) columns.push({name: 'evidence', node: x => evidenceOf(x.row), text: () => '', fixed: true});
  let list = tableRows();
  const by = columns.find(c => c.name === sorted.by);
  if (by) list = list.slice().sort(compareBy(by, sorted.down));
  const table = el('table'), head = el('tr'), body = el('tbody');
  const what = one ? 'All metrics of ' + D.workloads[Number(document.getElementById('rows').value)].name : metricText(state.metric);
  table.append(el('caption', '', what + ', ' + where() + '; ratios to ' + baseText() + '.'));
  for (const c of columns) head.append(headCell(c));
  table.append(el('thead'), body);
  table.tHead.append(head);
  const drawn = rowsShown.all ? list : list.slice(0, ROOM);
  for (const x of drawn) body.append(tableRow(columns, x));
  document.getElementById('table').replaceChildren(table);
  const more = document.getElementById('more');
  more.hidden = drawn.length === list.length;
  more.firstChild.textContent = 'Show all ' + list.length + ' rows';
}

function headCell(c) {
  const th = el('th', c.fixed ? 'evidence' : c.number && !c.words ? 'n' : '');
  th.scope = 'col';
  if (c.fixed) {
    th.textContent = c.name;
    return th;
  }
  const b = el('button', '', c.name);
  b.type = 'button';
  b.dataset.column = c.name;
  th.setAttribute('aria-sort', sorted.by === c.name ? (sorted.down ? 'descending' : 'ascending') : 'none');
  th.append(b);
  return th;
}

function tableRow(columns, x) {
  const tr = el('tr');
  for (const c of columns) {
    const td = el(c.head ? 'th' : 'td', c.fixed ? 'evidence' : c.number && !c.words ? 'n' : '');
    if (c.head) td.scope = 'row';
    const node = c.node ? c.node(x) : null;
    if (node) td.append(node);
    else if (!c.node) td.textContent = c.text(x);
    tr.append(td);
  }
  return tr;
}

// sortBy sorts by a column, or the other way, and says so.
function sortBy(name) {
  sorted.down = sorted.by === name && !sorted.down;
  sorted.by = name;
  drawTable();
  const button = [...document.querySelectorAll('#table thead button')].find(b => b.dataset.column === name);
  if (button) button.focus(); // the table was made anew
  tell('Sorted by ' + name + ', ' + (sorted.down ? 'descending' : 'ascending'));
}

function tell(text) {
  document.getElementById('status').textContent = text;
}
