// The tooltip: all that is known of a box.
const tip = document.getElementById('tip');
let told = -1; // the box it tells of

// tellTip fills the tooltip for box i and puts it near a point or a box.
function tellTip(i, near) {
  if (!tip.hidden && told === i) {
    moveTip(near);
    return;
  }
  told = i;
  const rows = [];
  const costs = (name, v) => rows.push([name, ...v]);
  const head = [''].concat(D.sides.map((_, s) => BOTH ? letter(s) : UNIT));
  if (BOTH) head.push('B − A');
  else head.push('share');
  for (const [name, v, own] of [['with all it calls', total, false], ['its own code', self, true]]) {
    const cells = v.map(x => number(x[i]));
    cells.push(BOTH ? signed(change(i, own)) : percent(v[0][i], total[0][0]));
    costs(name, cells);
  }
  if (BOTH) costs('share', [percent(total[0][i], total[0][0]), percent(total[1][i], total[1][0]), percent(change(i), total[0][0], true) + ' of A']);
  if (D.samples) costs('samples', samples.map(x => number(x[i])).concat(''));
  const table = el('table');
  for (const [n, row] of [head, ...rows].entries()) {
    const tr = el('tr');
    row.forEach((text, c) => tr.append(el(n === 0 || c === 0 ? 'th' : 'td', '', text)));
    table.append(tr);
  }
  tip.replaceChildren(el('bdi', 'name', nameOf(i)), table, ...facts(i));
  tip.hidden = false;
  moveTip(near);
}

function facts(i) {
  const out = [];
  const line = (what, text) => {
    const p = el('p');
    p.append(el('span', 'what', what + ' '), el('bdi', '', text));
    out.push(p);
  };
  if (BOTH) out.push(el('p', 'hint', UNIT));
  const f = fate(i);
  if (f) line('state', f === 'new' ? 'new: only in B' : 'gone: only in A');
  else if (BOTH && unsure(i)) line('state', `within sampling error (±${number(2 * error(i))})`);
  if (D.places && groupOf(i)) line('subsystem', groupOf(i) + (has(i, TAKEN) ? ' (its caller’s)' : ''));
  if (objectOf(i)) line('object', objectOf(i));
  const kinds = [has(i, KERNEL) ? 'kernel' : '', has(i, INLINED) ? 'inlined' : ''].filter(Boolean);
  if (kinds.length) line('code', kinds.join(', '));
  if (has(i, FOLDED)) line('folded', 'small functions, to keep this page small');
  return out;
}

// moveTip puts the tooltip beside a point, inside the window; on a narrow screen
// the style sheet keeps it at the bottom.
function moveTip(near) {
  const w = tip.offsetWidth, h = tip.offsetHeight;
  let x = near.x + 14, y = near.y + 18;
  if (x + w > innerWidth - 4) x = Math.max(4, innerWidth - w - 4);
  if (y + h > innerHeight - 4) y = Math.max(4, near.y - h - 14);
  tip.style.left = x + 'px';
  tip.style.top = y + 'px';
}

function hideTip() { tip.hidden = true; }
