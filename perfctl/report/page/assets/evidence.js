// Evidence: the runs behind a row, and the files beside them.
function evidenceOf(row) {
  const runs = D.evidence.runs[row.id] ?? [];
  if (!runs.length) return el('span', '', '–');
  const details = el('details');
  details.append(el('summary', '', runs.length === 1 ? '1 run' : runs.length + ' runs'));
  details.addEventListener('toggle', () => {
    if (details.lastChild.tagName === 'UL') return;
    const list = el('ul');
    for (const run of runs) {
      const item = el('li', '', run.id + ': ');
      if (run.flame) item.append(link(run.flame, 'flame graph'), ' ');
      item.append(link(run.folder + '/run.json', 'run.json'));
      for (const f of D.evidence.files[run.files]) item.append(' ', link(run.folder + '/' + f.split('/').map(encodeURIComponent).join('/'), f.replace(/^evidence\//, '')));
      list.append(item);
    }
    details.append(list);
  });
  return details;
}

function link(href, text) {
  const a = el('a', '', text);
  a.href = href;
  return a;
}
