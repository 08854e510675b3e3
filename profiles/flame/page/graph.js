// The drawn boxes: elements of a tree for the screen reader, one of them in the
// order of the tab key.
const graph = document.getElementById('graph');
const ROW = 20; // pixels
const TEXT = 34; // narrower boxes bear no text, in pixels
const HATCH = 10; // nor a hatch
let drawn = new Map(); // box number to element

// draw lists the boxes of a view anew. state: view, zoom, by, hit, current.
function draw(state) {
  const pixels = graph.clientWidth || 1;
  const boxes = place(state.view, state.zoom, pixels);
  drawn = new Map();
  let deepest = 0;
  const nodes = boxes.map(b => {
    const node = el('div', 'box', b.w * pixels < TEXT ? '' : labelOf(b.i, state.view));
    node.dataset.box = b.i;
    node.setAttribute('role', 'treeitem');
    node.setAttribute('aria-level', D.depth[b.i] + 1);
    node.setAttribute('aria-label', spoken(b.i, state.view));
    node.tabIndex = -1;
    node.style.left = 100 * b.x + '%';
    node.style.width = 100 * b.w + '%';
    node.style.top = D.depth[b.i] * ROW + 'px';
    if (b.w * pixels < HATCH) node.classList.add('thin');
    if (b.above) node.classList.add('above');
    if (state.hit && state.hit[b.i]) node.classList.add('hit');
    paint(node, b.i, state.view, state.by);
    drawn.set(b.i, node);
    deepest = Math.max(deepest, D.depth[b.i]);
    return node;
  });
  graph.classList.toggle('searching', !!state.hit);
  graph.style.height = (nodes.length ? (deepest + 1) * ROW : 0) + 'px';
  graph.replaceChildren(...nodes);
  if (!drawn.has(state.current)) state.current = state.zoom;
  if (drawn.has(state.current)) drawn.get(state.current).tabIndex = 0;
}

// boxAt is the number of the box that an event is in, or -1.
function boxAt(event) {
  const node = event.target.closest('.box');
  return node ? Number(node.dataset.box) : -1;
}

// neighbour is the box that a key leads to from box i, or -1.
function neighbour(i, key, view) {
  switch (key) {
    case 'ArrowUp':
      return parent[i];
    case 'ArrowDown': {
      let best = -1;
      for (let c = i + 1; c < end[i]; c = end[c]) {
        if (drawn.has(c) && (best < 0 || width[view][c] > width[view][best])) best = c;
      }
      return best;
    }
    case 'ArrowLeft':
    case 'ArrowRight': {
      const row = [...drawn.keys()].filter(k => D.depth[k] === D.depth[i]);
      const at = row.indexOf(i) + (key === 'ArrowLeft' ? -1 : 1);
      return at >= 0 && at < row.length ? row[at] : -1;
    }
  }
  return -1;
}
