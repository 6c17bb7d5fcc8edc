// Curves of channels over time, tied to the time of the scene.
import uPlot from 'uplot';
import type {Run, Series} from './data';
import {curveColours, theme} from './colours';
import {element, format} from './dom';

export type Derived = 'none' | 'sum' | 'difference' | 'norm' | 'spectrum';
export const derivations: Derived[] = ['none', 'sum', 'difference', 'norm', 'spectrum'];

export interface Curve {
  name: string;
  unit: string;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
}

/// A value of one run at the times of another.
function resampled(run: Run, series: Series, times: Float64Array): Float64Array {
  const values = run.values(series), out = new Float64Array(times.length);
  for (let i = 0; i < times.length; ++i) {
    const k = run.sampleAt(times[i]), next = Math.min(k + 1, values.length - 1);
    const span = run.times[next] - run.times[k];
    const part = span > 0 ? Math.min(Math.max((times[i] - run.times[k]) / span, 0), 1) : 0;
    out[i] = part === 0 ? values[k] : (1 - part) * values[k] + part * values[next];
  }
  return out;
}

/// Amplitudes of what is left without the mean, under Hann's window.
function spectrum(times: ArrayLike<number>, values: ArrayLike<number>): {x: Float64Array; y: Float64Array} {
  let n = 1;
  while (2 * n <= Math.min(values.length, 8192)) n *= 2;
  const first = times[0], span = times[times.length - 1] - first;
  const re = new Float64Array(n), im = new Float64Array(n);
  let mean = 0;
  for (let i = 0, k = 0; i < n; ++i) {
    const t = first + span * i / n;
    while (k + 1 < times.length && times[k + 1] <= t) ++k;
    re[i] = Number.isFinite(values[k]) ? values[k] : 0;
    mean += re[i] / n;
  }
  for (let i = 0; i < n; ++i) re[i] = (re[i] - mean) * (1 - Math.cos(2 * Math.PI * i / n));
  for (let i = 1, j = 0; i < n; ++i) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) { [re[i], re[j]] = [re[j], re[i]]; }
  }
  for (let length = 2; length <= n; length *= 2) {
    for (let i = 0; i < n; i += length) {
      for (let k = 0; k < length / 2; ++k) {
        const angle = -2 * Math.PI * k / length, c = Math.cos(angle), s = Math.sin(angle);
        const a = i + k, b = a + length / 2;
        const x = re[b] * c - im[b] * s, y = re[b] * s + im[b] * c;
        re[b] = re[a] - x; im[b] = im[a] - y;
        re[a] += x; im[a] += y;
      }
    }
  }
  const half = n / 2, x = new Float64Array(half), y = new Float64Array(half);
  for (let i = 0; i < half; ++i) { x[i] = span > 0 ? i / span : i; y[i] = 2 * Math.hypot(re[i], im[i]) / n; }
  return {x, y};
}

/// The curves of channels of all runs that have them.
export function curvesOf(runs: Run[], names: string[], derived: Derived): Curve[] {
  const curves: Curve[] = [];
  const times = runs[0].times;
  runs.forEach((run, r) => {
    const all = names.map(name => run.find(name)).filter((s): s is Series => s !== undefined);
    if (!all.length) return;
    const prefix = runs.length > 1 ? `${run.meta.name}: ` : '';
    const values = all.map(series => (r === 0 ? run.values(series) : resampled(run, series, times)));
    if (derived === 'none') all.forEach((series, i) => curves.push({name: prefix + series.name, unit: series.unit, x: times, y: values[i]}));
    if (derived === 'spectrum') all.forEach((series, i) =>
      curves.push({name: prefix + series.name, unit: series.unit, ...spectrum(times, values[i])}));
    if (derived === 'sum' || derived === 'norm') {
      const y = new Float64Array(times.length);
      for (let i = 0; i < y.length; ++i) {
        for (const each of values) y[i] += derived === 'sum' ? each[i] : each[i] * each[i];
        if (derived === 'norm') y[i] = Math.sqrt(y[i]);
      }
      curves.push({name: `${prefix}${derived} of ${all.map(s => s.name).join(', ')}`, unit: all[0].unit, x: times, y});
    }
    if (derived === 'difference' && runs.length === 1) {
      for (let k = 1; k < all.length; ++k) {
        curves.push({name: `${all[0].name} − ${all[k].name}`, unit: all[0].unit, x: times,
                     y: Float64Array.from(times, (_, i) => values[0][i] - values[k][i])});
      }
    }
  });
  if (derived === 'difference' && runs.length > 1) {
    for (const name of names) {
      const first = runs[0].find(name);
      if (!first) continue;
      const base = runs[0].values(first);
      runs.slice(1).forEach(run => {
        const other = run.find(name);
        if (!other) return;
        const values = resampled(run, other, times);
        curves.push({name: `${runs[0].meta.name} − ${run.meta.name}: ${name}`, unit: first.unit, x: times,
                     y: Float64Array.from(times, (_, i) => base[i] - values[i])});
      });
    }
  }
  return curves;
}

function download(name: string, content: Blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const safe = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/// A card with a plot: channels of one unit, or what is derived of them.
export class PlotCard {
  readonly element: HTMLElement;
  private plot: uPlot | null = null;
  private curves: Curve[] = [];
  private values: HTMLElement[] = [];
  private legend = element('div', 'legend');
  private holder = element('div', 'plot');
  private time = 0;

  constructor(private runs: Run[], readonly names: string[], public derived: Derived, private stacked: boolean,
              private onTime: (t: number) => void, onClose: () => void, onChange: () => void) {
    this.element = element('section', 'card');
    const head = element('div', 'card-head');
    const title = element('strong', '', stacked ? 'Energy ledger' : names.length === 1 ? names[0] : commonOf(names));
    title.title = names.join('\n');
    head.append(title);
    if (!stacked) {
      const choose = document.createElement('select');
      choose.title = 'Derived quantity';
      for (const each of derivations) choose.append(new Option(each === 'none' ? 'as it is' : each, each));
      choose.value = derived;
      choose.addEventListener('change', () => { this.derived = choose.value as Derived; this.draw(); onChange(); });
      head.append(choose);
    }
    const button = (text: string, help: string, action: () => void) => {
      const b = element('button', 'small', text) as HTMLButtonElement;
      b.title = help;
      b.addEventListener('click', action);
      head.append(b);
    };
    button('CSV', 'Save the numbers', () => this.saveCsv());
    button('SVG', 'Save a drawing', () => this.saveSvg());
    button('PNG', 'Save a picture', () => this.plot?.ctx.canvas.toBlob(blob => blob && download('plot.png', blob)));
    button('×', 'Close', () => { this.destroy(); onClose(); });
    this.element.append(head, this.holder, this.legend);
    new ResizeObserver(() => this.plot?.setSize({width: this.holder.clientWidth, height: this.height()})).observe(this.holder);
  }

  private height() { return this.stacked ? 210 : 170; }

  draw() {
    this.plot?.destroy();
    this.curves = curvesOf(this.runs, this.names, this.derived);
    this.legend.replaceChildren();
    this.values = [];
    const colours = theme();
    if (!this.curves.length) { this.holder.replaceChildren(element('p', 'quiet', 'Nothing to show.')); return; }
    this.holder.replaceChildren();
    let shown = this.curves.map(c => c.y);
    if (this.stacked) {
      // Energies above each other: each curve is the sum up to it.
      const sums = new Float64Array(this.curves[0].x.length);
      shown = this.curves.map(c => Float64Array.from(c.y, (y, i) => (sums[i] += Number.isFinite(y) ? y : 0)));
    }
    const unit = this.curves[0].unit;
    const finite = (y: ArrayLike<number>) => Array.from(y, v => (Number.isFinite(v) ? v : null));
    const options: uPlot.Options = {
      width: Math.max(this.holder.clientWidth, 200), height: this.height(), legend: {show: false},
      scales: {x: {time: false}},
      cursor: {drag: {x: true, y: false}, points: {size: 5}, sync: this.derived === 'spectrum' ? undefined : {key: 'time'}},
      axes: [
        {stroke: colours.text, grid: {stroke: colours.grid, width: 1}, ticks: {stroke: colours.grid}, size: 34,
         label: this.derived === 'spectrum' ? 'frequency [Hz]' : 'time [s]', labelSize: 16, labelFont: '11px sans-serif', font: '11px sans-serif',
         values: (_, marks) => marks.map(v => format(v, 4))},
        {stroke: colours.text, grid: {stroke: colours.grid, width: 1}, ticks: {stroke: colours.grid}, size: 62,
         label: unit ? `[${unit}]` : '', labelSize: 16, labelFont: '11px sans-serif', font: '11px sans-serif',
         values: (_, marks) => marks.map(v => format(v, 4))},
      ],
      series: [{}, ...this.curves.map((curve, i) => ({
        label: curve.name, stroke: curveColours[i % curveColours.length], width: 1.4, points: {show: false},
        dash: [[], [7, 4], [2, 3], [9, 3, 2, 3]][Math.floor(i / curveColours.length) % 4],
        fill: this.stacked ? curveColours[i % curveColours.length] + '33' : undefined,
      }))],
      hooks: {draw: [u => this.drawCursor(u)], ready: [u => {
        u.over.addEventListener('click', () => {
          if (this.derived !== 'spectrum' && u.cursor.left! >= 0) this.onTime(u.posToVal(u.cursor.left!, 'x'));
        });
      }]},
    };
    this.plot = new uPlot(options, [Float64Array.from(this.curves[0].x), ...shown.map(finite)] as uPlot.AlignedData, this.holder);
    this.curves.forEach((curve, i) => {
      const row = element('div', 'legend-row');
      const key = element('span', 'key');
      key.style.background = curveColours[i % curveColours.length];
      const value = element('span', 'value');
      row.append(key, element('span', 'name', curve.name), value);
      this.values.push(value);
      this.legend.append(row);
    });
    this.setTime(this.time);
  }

  private drawCursor(u: uPlot) {
    if (this.derived === 'spectrum') return;
    const x = u.valToPos(this.time, 'x', true);
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
    u.ctx.save();
    u.ctx.strokeStyle = theme().cursor;
    u.ctx.lineWidth = devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  setTime(time: number) {
    this.time = time;
    if (!this.plot) return;
    this.plot.redraw(false, false);
    if (this.derived === 'spectrum') return;
    const sample = this.runs[0].sampleAt(time);
    this.curves.forEach((curve, i) => {
      this.values[i].textContent = `${format(curve.y[sample], 7)} ${curve.unit}`;
    });
  }

  private saveCsv() {
    const quoted = (text: string) => `"${text.replace(/"/g, '""')}"`;
    const lines = [['x', ...this.curves.map(c => quoted(c.name))].join(',')];
    for (let i = 0; i < this.curves[0].x.length; ++i) lines.push([this.curves[0].x[i], ...this.curves.map(c => c.y[i])].join(','));
    download('plot.csv', new Blob([lines.join('\n') + '\n'], {type: 'text/csv'}));
  }

  private saveSvg() {
    if (!this.plot) return;
    const u = this.plot, width = 800, height = 380, left = 80, bottom = 50, top = 20, right = 20;
    const {min: x0 = 0, max: x1 = 1} = u.scales.x, {min: y0 = 0, max: y1 = 1} = u.scales.y;
    const px = (x: number) => left + (width - left - right) * (x - x0!) / (x1! - x0!);
    const py = (y: number) => height - bottom - (height - top - bottom) * (y - y0!) / (y1! - y0!);
    const parts = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height + 18 * this.curves.length}" font-family="sans-serif" font-size="12">`,
                   `<rect x="${left}" y="${top}" width="${width - left - right}" height="${height - top - bottom}" fill="none" stroke="#000"/>`];
    for (let k = 0; k <= 5; ++k) {
      const x = x0! + (x1! - x0!) * k / 5, y = y0! + (y1! - y0!) * k / 5;
      parts.push(`<text x="${px(x)}" y="${height - bottom + 16}" text-anchor="middle">${format(x, 4)}</text>`,
                 `<text x="${left - 6}" y="${py(y) + 4}" text-anchor="end">${format(y, 4)}</text>`);
    }
    this.curves.forEach((curve, i) => {
      let d = '';
      for (let k = 0; k < curve.x.length; ++k) {
        if (curve.x[k] < x0! || curve.x[k] > x1! || !Number.isFinite(curve.y[k])) continue;
        d += `${d ? 'L' : 'M'}${px(curve.x[k]).toFixed(1)} ${py(curve.y[k]).toFixed(1)}`;
      }
      const colour = curveColours[i % curveColours.length];
      parts.push(`<path fill="none" stroke="${colour}" d="${d}"/>`,
                 `<text x="${left}" y="${height + 18 * i}" fill="${colour}">${safe(curve.name)} [${safe(curve.unit)}]</text>`);
    });
    download('plot.svg', new Blob([parts.join('\n') + '</svg>\n'], {type: 'image/svg+xml'}));
  }

  /// The range of time that is shown, for tests and links.
  range(): [number, number] | null {
    const scale = this.plot?.scales.x;
    return scale && scale.min != null && scale.max != null ? [scale.min, scale.max] : null;
  }

  destroy() {
    this.plot?.destroy();
    this.plot = null;
    this.element.remove();
  }
}

/// "contacts/*/gap" of several names.
function commonOf(names: string[]): string {
  const parts = names.map(name => name.split('/'));
  if (parts.some(p => p.length !== parts[0].length)) return `${names.length} channels`;
  return parts[0].map((word, i) => (parts.every(p => p[i] === word) ? word : '*')).join('/');
}
