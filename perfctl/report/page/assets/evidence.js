// Evidence: the runs behind a row, and the files beside them.

// evidenceOf is a button that shows them in a row of their own.
function evidenceOf(row) {
  const runs = D.evidence.runs[row.id] ?? [];
  if (!runs.length) return el('span', '', '–');
  const button = el('button', '', runs.length === 1 ? '1 run' : runs.length + ' runs');
  button.type = 'button';
  button.setAttribute('aria-expanded', 'false');
  button.addEventListener('click', () => {
    const tr = button.closest('tr'), open = button.getAttribute('aria-expanded') === 'true';
    button.setAttribute('aria-expanded', String(!open));
    if (open) tr.nextSibling.remove();
    else tr.after(runsRow(runs, tr.cells.length));
  });
  return button;
}

function runsRow(runs, columns) {
  const tr = el('tr', 'runs'), td = el('td'), list = el('ul');
  td.colSpan = columns;
  for (const run of runs) {
    const item = el('li', '', run.id + ': ');
    if (run.flame) item.append(link(run.flame, 'flame graph'));
    item.append(link(run.folder + '/run.json', 'run.json'));
    for (const f of D.evidence.files[run.files]) item.append(link(run.folder + '/' + f.split('/').map(encodeURIComponent).join('/'), f.replace(/^evidence\//, '')));
    list.append(item);
  }
  td.append(list);
  tr.append(td);
  return tr;
}

function link(href, text) {
  const a = el('a', '', text);
  a.href = href;
  return a;
}
