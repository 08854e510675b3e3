// Numbers and sentences, in the words of the tables that opcost prints.

// number is a value for people, as report.Number writes it.
function number(v) {
  if (v === 0) return '0';
  const a = Math.abs(v);
  if (a >= 999999.5) {
    for (const [size, name] of [[1e6, 'M'], [1e9, 'G'], [1e12, 'T']]) {
      if (a < 999.95 * size || name === 'T') return significant(v / size) + name;
    }
  }
  if (a >= 999.95) return Math.round(v).toLocaleString('en-US');
  return significant(v);
}

function significant(v) {
  const a = Math.abs(v);
  if (a >= 99.995) return v.toFixed(1);
  if (a >= 9.9995) return v.toFixed(2);
  if (a >= 0.9995) return v.toFixed(3);
  if (a >= 0.0009995) return v.toFixed(2 - Math.floor(Math.log10(a * 1.0005)));
  return String(Number(v.toPrecision(3)));
}

// ratioText is a ratio; as many places as its interval, or its size, allows.
function places(ratio, low, high) {
  if (ratio >= 100) return 0;
  if (ratio >= 10) return 1;
  if (ratio < 0.1) return 3;
  return low !== null && high !== null && high - low < 0.02 ? 3 : 2;
}

const ratioText = c => c.ratio.toFixed(places(c.ratio, c.rlow, c.rhigh));

// boundsText is "[0.861, 0.889]", or nothing.
function boundsText(low, high, text) {
  return low === null || high === null ? '' : '[' + text(low) + ', ' + text(high) + ']';
}

const ratioBounds = c => boundsText(c.rlow, c.rhigh, x => x.toFixed(places(c.ratio, c.rlow, c.rhigh)));
const valueBounds = c => boundsText(c.low, c.high, number);

const clientsText = n => n === 0 ? 'clients not known' : n === 1 ? '1 client' : n + ' clients';
const baseText = row => D.versions[row && row.against >= 0 ? row.against : BASE] ?? 'the version before';
const signedPercent = ratio => {
  const p = 100 * (ratio - 1), a = Math.abs(p);
  return a < 0.05 ? '0%' : (p < 0 ? '−' : '+') + a.toFixed(a >= 9.95 ? 0 : 1).replace(/\.0$/, '') + '%';
};

// verdictOf is a cell's verdict, or nothing.
const verdictOf = c => c && c.judged ? c.judged.verdict : '';

// whyNot says why there is no value, or no ratio.
function whyNot(c, row) {
  if (!c) return 'not measured';
  if (c.value === null) return [[stateText(c.fact), c.fact.reason].filter(t => t).join(': '), c.fact.remedy].filter(t => t).join('; ');
  if (row.version === BASE) return 'the base';
  return 'no ratio: ' + (c.value === 0 ? 'the value is 0' : 'the base was not measured in this way, or is 0 there');
}

const stateText = f => ({ok: 'ok', not_counted: 'not counted'})[f.state] ?? f.state;

// remarks are what is to be known of a value: its state, and reasons.
function remarks(c) {
  const f = c.fact, all = [];
  if (f.state !== 'ok') all.push(stateText(f) + (f.fraction !== null ? ' (counted ' + (100 * f.fraction).toFixed(0) + '% of the time)' : ''));
  for (const t of [f.reason, f.remedy, c.judged && c.judged.reason]) if (t) all.push(t);
  if (c.judged && c.judged.more) all.push('about ' + c.judged.more + ' more starts a side would tell');
  return all.join('; ');
}

const metricText = m => m.label;
