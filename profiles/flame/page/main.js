// What the reader does, and what then changes. All of it goes through change of
// state and show().
const $ = id => document.getElementById(id);
const state = {view: BOTH ? 'd' : 'a', zoom: 0, by: BOTH ? 'total' : 'group', hit: null, group: null, current: 0};

function show() {
  hideTip();
  draw(state);
  drawnWidth = graph.clientWidth;
  drawCrumbs();
  const z = state.zoom, scale = scaleOf(state.view, z);
  $('scale').textContent = `full width: ${number(scale)} ${UNIT}` + (state.view === 'd' ? ', the larger of A and B at each place' : '');
  $('empty').hidden = drawn.size > 0;
  $('empty').textContent = `${nameOf(z)} has no cost in this view.`;
  drawLegend(state.view, state.by, state.group, pickGroup);
}

function drawCrumbs() {
  const path = [];
  for (let i = state.zoom; i >= 0; i = parent[i]) path.unshift(i);
  const parts = path.length > 5 ? [path[0], -1, ...path.slice(-3)] : path;
  const list = el('ol');
  for (const i of parts) {
    const item = el('li');
    if (i < 0) {
      item.append('…');
    } else {
      const b = el('button', '', i === 0 ? 'all' : shortName(nameOf(i)));
      b.type = 'button';
      if (i === state.zoom) b.setAttribute('aria-current', 'true');
      b.addEventListener('click', () => zoomTo(i));
      item.append(b);
    }
    list.append(item);
  }
  const reset = el('button', 'reset', 'Reset zoom');
  reset.type = 'button';
  reset.disabled = state.zoom === 0;
  reset.addEventListener('click', () => zoomTo(0));
  $('crumbs').replaceChildren(list, reset);
}

function zoomTo(i) {
  if (i < 0 || i === state.zoom) return;
  state.zoom = state.current = i;
  show();
  $('status').textContent = i === 0 ? 'Whole graph' : 'Zoomed to ' + spoken(i, state.view);
}

function focusBox(i) {
  if (drawn.has(i)) drawn.get(i).focus();
}

function tipNear(i) {
  const r = drawn.get(i).getBoundingClientRect();
  tellTip(i, {x: Math.max(r.left, 0), y: r.bottom - 14});
}

graph.addEventListener('click', e => {
  const i = boxAt(e);
  if (i < 0) return;
  zoomTo(i);
  focusBox(i);
});
graph.addEventListener('mousemove', e => {
  const i = boxAt(e);
  if (i < 0) hideTip();
  else tellTip(i, {x: e.clientX, y: e.clientY});
});
graph.addEventListener('mouseleave', hideTip);
graph.addEventListener('focusin', e => {
  const i = boxAt(e);
  if (i < 0) return;
  const before = drawn.get(state.current);
  if (before) before.tabIndex = -1;
  state.current = i;
  drawn.get(i).tabIndex = 0;
  tipNear(i);
});
graph.addEventListener('focusout', hideTip);
graph.addEventListener('keydown', e => {
  const i = boxAt(e);
  if (i < 0 || e.ctrlKey || e.altKey || e.metaKey) return;
  if (e.key === 'Enter' || e.key === ' ') {
    zoomTo(i);
    focusBox(i);
  } else if (e.key === 'Escape') {
    zoomTo(parent[state.zoom]);
    focusBox(state.current);
  } else if (e.key === 'Home') {
    zoomTo(0);
    focusBox(0);
  } else if (e.key.startsWith('Arrow')) {
    focusBox(neighbour(i, e.key, state.view));
  } else {
    return;
  }
  e.preventDefault();
});
document.addEventListener('keydown', e => {
  if (e.key === '/' && !e.target.closest('input, select')) {
    $('query').focus();
    e.preventDefault();
  } else if (e.key === 'Escape' && !e.defaultPrevented) {
    hideTip();
  }
});

function search() {
  const text = $('query').value, m = text ? matcher(text, $('regexp').checked) : null;
  state.group = null;
  state.hit = m && m.test ? find(i => m.test(nameOf(i))) : null;
  $('query').setAttribute('aria-invalid', !!(m && m.problem));
  found(m && m.problem);
}

function pickGroup(name) {
  $('query').value = '';
  state.group = name;
  state.hit = name === null ? null : find(i => groupOf(i) === name);
  found();
}

function found(problem) {
  $('found').textContent = problem || (state.hit ? foundText(state.hit) : '');
  const none = !state.hit || !state.hit.includes(1);
  $('next').disabled = $('previous').disabled = none;
  const legend = document.activeElement && document.activeElement.closest('#legend');
  const at = legend ? [...legend.querySelectorAll('button')].indexOf(document.activeElement) : -1;
  show();
  if (at >= 0) $('legend').querySelectorAll('button')[at].focus(); // the legend was drawn anew
}

// step goes to the next or previous hit, zooming where it is too narrow to see.
function step(by) {
  for (let k = 1, i = state.current; k <= N; k++) {
    i = (i + by + N) % N;
    if (!state.hit[i] || width[state.view][i] === 0) continue;
    if (!drawn.has(i)) zoomTo(i);
    focusBox(i);
    return;
  }
}

$('query').addEventListener('input', search);
$('regexp').addEventListener('change', search);
$('next').addEventListener('click', () => step(1));
$('previous').addEventListener('click', () => step(-1));
$('search').addEventListener('submit', e => {
  e.preventDefault();
  if (!$('next').disabled) step(1);
});
if (BOTH) {
  $('colour').options[2].textContent = D.places ? 'subsystem' : 'kind of code';
  $('colour').addEventListener('change', e => {
    state.by = e.target.value;
    show();
  });
  $('views').addEventListener('change', e => {
    state.view = e.target.value;
    show();
    $('status').textContent = e.target.closest('label').textContent;
  });
}

// A link may name what to show: page.html#view=b&find=buf_page&regexp&by=self.
function fromLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  const view = document.querySelector(`input[name=view][value="${CSS.escape(link.get('view') || '')}"]`);
  if (view) {
    view.checked = true;
    state.view = view.value;
  }
  const by = BOTH && [...$('colour').options].find(o => o.value === link.get('by'));
  if (by) {
    by.selected = true;
    state.by = by.value;
  }
  $('regexp').checked = link.has('regexp');
  if (link.get('find')) $('query').value = link.get('find');
}

// A phone's address bar comes and goes with the height alone: nothing moves then.
let resized = 0, drawnWidth = 0;
addEventListener('resize', () => {
  cancelAnimationFrame(resized);
  resized = requestAnimationFrame(() => {
    if (graph.clientWidth === drawnWidth) return;
    const focus = graph.contains(document.activeElement);
    show();
    if (focus) focusBox(state.current);
  });
});
fromLink();
search();
