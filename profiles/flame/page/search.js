// Search by name, plain or as a regular expression, and by group.

// matcher is a test of names, or an error to show.
function matcher(text, regexp) {
  if (!regexp) {
    const low = text.toLowerCase();
    return {test: name => name.toLowerCase().includes(low)};
  }
  try {
    const r = new RegExp(text, 'iu');
    return {test: name => r.test(name)};
  } catch (e) {
    return {problem: 'Not a regular expression: ' + e.message.replace(/^Invalid regular expression: /, '')};
  }
}

// find marks all boxes that a test of their frame fits. Each frame is tested
// once.
function find(test) {
  const fits = new Map(), hit = new Uint8Array(N);
  for (let i = 1; i < N; i++) {
    if (has(i, FOLDED)) continue;
    const f = D.frame[i];
    if (!fits.has(f)) fits.set(f, test(i));
    hit[i] = fits.get(f) ? 1 : 0;
  }
  return hit;
}

// covered is the cost of hit boxes on a side, none counted twice: of hits below
// hits only the uppermost counts.
function covered(hit, s) {
  let sum = 0;
  for (let i = 0; i < N;) {
    if (hit[i]) {
      sum += total[s][i];
      i = end[i];
    } else {
      i++;
    }
  }
  return sum;
}

// foundText says what was found.
function foundText(hit) {
  const names = new Set();
  let boxes = 0;
  for (let i = 0; i < N; i++) {
    if (!hit[i]) continue;
    boxes++;
    names.add(field(i, 0));
  }
  if (!boxes) return 'No box has such a name.';
  const shares = D.sides.map((_, s) => {
    const c = covered(hit, s);
    return `${percent(c, total[s][0])} of ${BOTH ? letter(s) : 'the total'} (${number(c)} ${UNIT})`;
  });
  if (BOTH) shares.push(`B − A ${signed(covered(hit, 1) - covered(hit, 0))}`);
  return `${names.size} ${names.size === 1 ? 'name' : 'names'} in ${boxes} ${boxes === 1 ? 'box' : 'boxes'}, with all they call: ${shares.join(', ')}`;
}
