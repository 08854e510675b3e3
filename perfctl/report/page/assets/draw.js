// Elements of HTML and SVG. Texts are never read as markup.
function el(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

function svg(tag, attributes, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

const percent = x => (100 * x).toFixed(3) + '%';

// hint is what a pointer over a shape tells.
function hint(shape, text) {
  shape.append(svg('title', {}));
  shape.lastChild.textContent = text;
  return shape;
}

// ticks are round numbers from lo to hi, about n of them.
function ticks(lo, hi, n) {
  const rough = (hi - lo) / n, size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map(m => m * size).find(s => s >= rough * 0.999);
  const all = [];
  for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + step * 1e-9; i++) all.push(Number((i * step).toPrecision(12)));
  return all;
}

// Shapes that tell versions apart without colours, around 0,0.
const SHAPES = ['M-4,0a4,4 0 1,0 8,0a4,4 0 1,0-8,0', 'M-3.6,-3.6h7.2v7.2h-7.2z', 'M0,-4.8L4.6,3.6h-9.2z', 'M0,-5L5,0L0,5L-5,0z',
  'M0,4.8L4.6,-3.6h-9.2z', 'M-4,-4L4,4M-4,4L4,-4', 'M-5,0h10M0,-5v10'];

// look is how a version is drawn: a tone and a shape, and dashes where there are
// more versions than tones.
function look(version) {
  const i = Math.max(0, compared.indexOf(version));
  return {tone: 'tone' + i % 8, dash: 'dash' + Math.floor(i / 8) % 4, shape: SHAPES[i % SHAPES.length]};
}

// marker is a shape at a place; x may be in percent.
function marker(x, y, path, className) {
  return svg('svg', {x, y, width: 1, height: 1, overflow: 'visible'}, svg('path', {d: path, class: className}));
}

// swatch shows how a version is drawn.
function swatch(version) {
  const l = look(version);
  return svg('svg', {class: 'swatch', 'aria-hidden': 'true'},
    svg('line', {class: 'path ' + l.tone + ' ' + l.dash, x1: 0, x2: 30, y1: 6, y2: 6}), marker(15, 6, l.shape, 'marker ' + l.tone));
}
