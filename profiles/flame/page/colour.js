// Colours: eight for groups that hold for colour-blind readers (Paul Tol's light
// scheme), and a scale from less to more (blue to orange).
const TONES = 8, PLAIN = new Set(['unresolved', 'server other', 'no name']); // grey says: not placed
const tone = new Map();
D.groups.filter(g => g.name && !PLAIN.has(g.name)).slice(0, TONES).forEach((g, n) => tone.set(g.name, n));

// The largest change that a box has sets the ends of the colour scale.
const furthest = {};
for (const own of BOTH ? [false, true] : []) {
  let most = 0;
  for (let i = 0; i < N; i++) if (!unsure(i, own)) most = Math.max(most, Math.abs(change(i, own)));
  furthest[own ? 'self' : 'total'] = most;
}

// paint colours a drawn box.
function paint(node, i, view, by) {
  if (has(i, FOLDED)) node.classList.add('folded');
  if (view === 'd') {
    const f = fate(i);
    if (f) node.classList.add(f);
  }
  if (!BOTH || by === 'group') {
    const n = tone.get(groupOf(i));
    if (i > 0 && n !== undefined) node.classList.add('tone' + n);
    return;
  }
  const d = change(i, by === 'self');
  if (unsure(i, by === 'self')) return;
  node.style.backgroundColor = shade(d, furthest[by]); // a hatch stays
}

// shade is the colour of a change. The scale goes with the square root, so that
// small changes are told from none.
function shade(d, most) {
  if (!(most > 0) || d === 0) return '';
  const share = Math.round(100 * Math.sqrt(Math.min(1, Math.abs(d) / most)));
  return `color-mix(in oklab, var(${d > 0 ? '--more' : '--less'}) ${share}%, var(--none))`;
}

// drawLegend lists the colours, and all groups with their shares; pick is called
// with the group that was chosen, or null.
function drawLegend(view, by, picked, pick) {
  const out = [];
  if (BOTH && by !== 'group') out.push(changeLegend(view, by));
  const list = el('ul', 'groups');
  for (const g of D.groups) {
    const share = g.self.map((w, s) => w / D.sides[s].operations / D.divisor);
    const item = el('li'), button = el('button');
    button.type = 'button';
    button.setAttribute('aria-pressed', picked === g.name);
    if (!BOTH || by === 'group') {
      const swatch = el('span', 'swatch');
      if (tone.has(g.name)) swatch.classList.add('tone' + tone.get(g.name));
      button.append(swatch);
    }
    button.append(el('bdi', '', groupName(g.name)), ' ', el('span', 'cost', groupShares(share)));
    button.addEventListener('click', () => pick(picked === g.name ? null : g.name));
    item.append(button);
    list.append(item);
  }
  out.push(el('p', 'hint', (D.places ? 'Subsystems' : 'Kinds of code') +
    ` and their own cost${BOTH ? `: B − A (A → B), in ${UNIT}` : ''}; choose one to mark it`), list);
  document.getElementById('legend').replaceChildren(...out);
}

function groupShares(v) {
  if (!BOTH) return percent(v[0], total[0][0]);
  return `${signed(v[1] - v[0])} (${number(v[0])} → ${number(v[1])})`;
}

function changeLegend(view, by) {
  const most = furthest[by], box = el('div', 'changes');
  const bar = el('div', 'bar');
  for (let k = -4; k <= 4; k++) {
    const d = most * Math.sign(k) * (k / 4) ** 2, step = el('span');
    step.style.background = shade(d, most) || 'var(--none)';
    step.textContent = k % 2 ? '' : k === 0 ? '0' : percent(d, total[0][0], true);
    bar.append(step);
  }
  box.append(el('p', 'hint', `B − A of a box ${by === 'self' ? 'by its own code' : 'and all it calls'}, ` +
    (D.per ? `per ${D.per}, ` : '') + 'as a share of the total of A: blue costs less, orange more'), bar);
  if (view === 'd') {
    box.append(key('new', 'new: only in B'), key('gone', 'gone: only in A'));
  }
  if (D.samples) box.append(key('', 'grey: within twice the sampling error'));
  return box;
}

function key(className, text) {
  const k = el('span', 'key');
  k.append(el('span', 'swatch ' + className), text);
  return k;
}
