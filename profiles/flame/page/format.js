// Numbers and sentences.
const UNIT = D.unit + (D.per ? ' per ' + D.per : '');

// number is a value in four significant digits, or all digits before the point.
function number(v) {
  if (v === 0) return '0';
  const digits = Math.min(20, Math.max(0, 3 - Math.floor(Math.log10(Math.abs(v)))));
  return v.toLocaleString('en-US', {maximumFractionDigits: digits}).replace('-', '−');
}

const signed = v => (v > 0 ? '+' : '') + number(v);

function percent(part, whole, sign) {
  if (!(whole > 0)) return 'no share';
  const p = 100 * part / whole;
  const text = p !== 0 && Math.abs(p) < 0.005 ? (p < 0 ? '−' : '') + '<0.01' :
    p.toFixed(2).replace('-', '−');
  return (sign && p > 0 ? '+' : '') + text + ' %';
}

const letter = s => 'AB'[s];

// groupName is a group's name for the reader.
const groupName = g => g || 'no group';

// shortName is a function's name without the arguments and template arguments
// that make it too long for a breadcrumb.
function shortName(name) {
  return name.length > 40 ? name.slice(0, 39) + '…' : name;
}

// labelOf is what a box is marked with in a view.
function labelOf(i, view) {
  const f = view === 'd' && i > 0 ? fate(i) : '';
  return f && fate(parent[i]) !== f ? f + ': ' + nameOf(i) : nameOf(i);
}

// spoken is a box in one sentence.
function spoken(i, view) {
  const parts = [nameOf(i)];
  if (view === 'd') {
    const f = fate(i);
    if (f) parts.push(f === 'new' ? 'only in B' : 'only in A');
    parts.push(signed(change(i)) + ' ' + UNIT, percent(change(i), total[0][0], true) + ' of A');
  } else {
    const s = view === 'b' ? 1 : 0;
    parts.push(percent(total[s][i], total[s][0]), number(total[s][i]) + ' ' + UNIT);
  }
  if (groupOf(i)) parts.push(groupOf(i));
  return parts.join(', ');
}

// el makes an element; texts are never read as markup.
function el(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}
