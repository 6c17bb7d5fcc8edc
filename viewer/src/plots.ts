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
    // Beyond its ends it has no values; times of equal runs may differ by round-off.
    const slack = 1e-9 * Math.abs(run.times[run.times.length - 1]);
    if (times[i] < run.times[0] - slack || times[i] > run.times[run.times.length - 1] + slack) { out[i] = NaN; continue; }
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

const colourOf = (i: number) => curveColours[i % curveColours.length];
/// Curves are told apart without their colours, too; seven of them, so that no two of 56 are alike.
const dashes = [[], [9, 3], [2.5, 2.5], [10, 3, 2.5, 3], [16, 4], [6, 2, 6, 2, 1.5, 2], [10, 3, 2.5, 3, 2.5, 3]];
const dashOf = (i: number) => dashes[i % dashes.length];
const dashText = (i: number) => (dashOf(i).length ? ` stroke-dasharray="${dashOf(i).join(' ')}"` : '');

/// Layers differ by their hatches: the ways of its lines, in a tile of 8 pixels; none of the first.
const hatches: [number, number, number, number][][] = [[], [[0, 8, 8, 0]], [[0, 0, 8, 8]], [[0, 4, 8, 4]], [[4, 0, 4, 8]],
  [[0, 8, 8, 0], [0, 0, 8, 8]], [[0, 4, 8, 4], [4, 0, 4, 8]]];
const hatchOf = (i: number) => hatches[i % hatches.length];

function patternOf(context: CanvasRenderingContext2D, i: number): CanvasPattern | string {
  const tile = document.createElement('canvas'), ratio = devicePixelRatio;
  tile.width = tile.height = Math.round(8 * ratio);
  const draw = tile.getContext('2d')!;
  draw.scale(tile.width / 8, tile.width / 8);
  draw.fillStyle = colourOf(i) + '99';
  draw.fillRect(0, 0, 8, 8);
  draw.strokeStyle = theme().hatch;
  draw.lineWidth = 0.9;
  for (const [x, y, toX, toY] of hatchOf(i)) for (const shift of x !== toX && y !== toY ? [-8, 0, 8] : [0]) {
    draw.beginPath();
    draw.moveTo(x + shift, y);
    draw.lineTo(toX + shift, toY);
    draw.stroke();
  }
  return context.createPattern(tile, 'repeat') ?? colourOf(i) + '99';
}

const svgSpace = 'http://www.w3.org/2000/svg';

/// What a curve or a layer looks like, for a legend.
function keyOf(i: number, isLayer: boolean): SVGElement {
  const make = (tag: string, attributes: Record<string, string | number>, parent?: Element) => {
    const made = document.createElementNS(svgSpace, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
    parent?.append(made);
    return made;
  };
  const key = make('svg', {width: 30, height: 12, class: 'key', 'aria-hidden': 'true'});
  if (isLayer) {
    make('rect', {x: 0.5, y: 0.5, width: 29, height: 11, fill: colourOf(i), 'fill-opacity': 0.6, stroke: colourOf(i)}, key);
    for (const [x, y, toX, toY] of hatchOf(i)) for (const shift of [0, 8, 16, 24, 32].filter(s => x !== toX || s < 30)) {
      const horizontal = y === toY;
      if (horizontal && shift) continue;
      make('path', {d: horizontal ? 'M1 6h28' : `M${x + shift - (x !== toX ? 4 : 0)} ${y * 1.5}L${toX + shift - (x !== toX ? 4 : 0)} ${toY * 1.5}`,
                    stroke: 'currentColor', 'stroke-width': 0.9}, key);
    }
  } else {
    make('path', {d: 'M0 6h30', stroke: colourOf(i), 'stroke-width': 2.5, ...(dashOf(i).length ? {'stroke-dasharray': dashOf(i).join(' ')} : {})}, key);
  }
  return key as SVGElement;
}

/// Curves above each other, what is below zero beneath it: for each its lower and its upper edge.
export function stack(curves: Curve[]): [Float64Array, Float64Array][] {
  const n = curves[0].x.length, above = new Float64Array(n), below = new Float64Array(n);
  return curves.map(({y}) => {
    const low = new Float64Array(n), high = new Float64Array(n);
    for (let i = 0; i < n; ++i) {
      const value = Number.isFinite(y[i]) ? y[i] : 0, sums = value < 0 ? below : above;
      const before = sums[i], after = sums[i] += value;
      low[i] = Math.min(before, after);
      high[i] = Math.max(before, after);
    }
    return [low, high];
  });
}

/// Round numbers from low to high, about so many.
function ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(k => k * power).find(each => each >= raw) ?? raw;
  const list: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && list.length < 100; ++k) list.push(Number((k * step).toPrecision(12)));
  return list;
}

/// With as many digits as tell neighbours apart.
function labelsOf(marks: number[]): string[] {
  const step = marks.length > 1 ? Math.abs(marks[1] - marks[0]) : 0, largest = Math.max(...marks.map(Math.abs));
  const digits = step > 0 ? Math.min(Math.max(Math.floor(Math.log10(largest / step) + 1e-6) + 2, 3), 15) : 4;
  return marks.map(v => format(Math.abs(v) < 1e-6 * step ? 0 : v, digits));
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

  /// `wanted`: the part of the axis that is shown at first.
  constructor(private runs: Run[], readonly names: string[], public derived: Derived, readonly stacked: boolean,
              private wanted: [number, number] | null, private onTime: (t: number) => void, onClose: () => void,
              private onChange: () => void) {
    // Energies of several runs above each other would be a sum of no meaning.
    const first = runs[0].meta.name;
    if (stacked) this.runs = runs.slice(0, 1);
    this.element = element('section', 'card');
    const head = element('div', 'card-head');
    const title = element('strong', '', stacked ? `Energy ledger${runs.length > 1 ? ` of ${first}` : ''}` : names.length === 1 ? names[0] : commonOf(names));
    title.title = names.join('\n');
    const tools = element('span', 'tools');
    head.append(title, tools);
    if (!stacked) {
      const choose = document.createElement('select');
      choose.title = 'Derived quantity';
      for (const each of derivations) choose.append(new Option(each === 'none' ? 'as it is' : each, each));
      choose.value = derived;
      choose.addEventListener('change', () => {
        const axis = this.derived === 'spectrum';
        this.derived = choose.value as Derived;
        if (axis !== (this.derived === 'spectrum')) { this.plot?.destroy(); this.plot = null; }   // its zoom is of another axis
        this.draw();
        onChange();
      });
      tools.append(choose);
    }
    const button = (text: string, help: string, action: () => void) => {
      const b = element('button', 'small', text) as HTMLButtonElement;
      b.title = help;
      b.addEventListener('click', action);
      tools.append(b);
    };
    button('CSV', 'Save the numbers', () => this.saveCsv());
    button('SVG', 'Save a drawing', () => { const {text} = this.svg(); if (text) download('plot.svg', new Blob([text], {type: 'image/svg+xml'})); });
    button('PNG', 'Save a picture', () => this.savePng());
    button('×', 'Close', () => { this.destroy(); onClose(); });
    this.element.append(head, this.holder, this.legend);
    new ResizeObserver(() => this.plot?.setSize({width: this.holder.clientWidth, height: this.height()})).observe(this.holder);
  }

  private height() { return this.stacked ? 220 : 180; }

  draw() {
    const zoom = this.wanted ?? this.zoomed();
    this.wanted = null;
    this.plot?.destroy();
    this.plot = null;
    this.curves = curvesOf(this.runs, this.names, this.derived);
    this.legend.replaceChildren();
    this.values = [];
    const colours = theme();
    if (!this.curves.length) { this.holder.replaceChildren(element('p', 'quiet', 'Nothing to show.')); return; }
    this.holder.replaceChildren();
    this.layers = this.stacked ? stack(this.curves) : null;
    const shown = this.layers ? this.layers.flat() : this.curves.map(c => c.y);
    const unit = this.curves[0].unit;
    const finite = (y: ArrayLike<number>) => Array.from(y, v => (Number.isFinite(v) ? v : null));
    const paint = document.createElement('canvas').getContext('2d')!;
    const options: uPlot.Options = {
      width: Math.max(this.holder.clientWidth, 200), height: this.height(), legend: {show: false},
      scales: {x: {time: false}},
      cursor: {drag: {x: true, y: false}, points: {size: 5}, sync: this.derived === 'spectrum' ? undefined : {key: 'time'}},
      axes: [
        {stroke: colours.text, grid: {stroke: colours.grid, width: 1}, ticks: {stroke: colours.grid}, size: 34,
         label: this.derived === 'spectrum' ? 'frequency [Hz]' : 'time [s]', labelSize: 16, labelFont: '11px sans-serif', font: '11px sans-serif',
         values: (_, marks) => labelsOf(marks)},
        {stroke: colours.text, grid: {stroke: colours.grid, width: 1}, ticks: {stroke: colours.grid}, size: 62, space: 22,
         label: unit ? `[${unit}]` : '', labelSize: 16, labelFont: '11px sans-serif', font: '11px sans-serif',
         values: (_, marks) => labelsOf(marks)},
      ],
      series: [{}, ...(this.layers ? this.curves.flatMap((curve, i) => [{label: curve.name, width: 0, points: {show: false}},
        {label: curve.name, width: 0, points: {show: false}}]) : this.curves.map((curve, i) => ({
        label: curve.name, stroke: colourOf(i), width: 1.5, points: {show: false}, dash: dashOf(i)})))],
      bands: this.layers?.map((_, i) => ({series: [2 * i + 2, 2 * i + 1] as [number, number], fill: patternOf(paint, i) as string})),
      hooks: {draw: [u => this.drawCursor(u)], setScale: [(u, key) => { if (key === 'x' && u === this.plot) this.onChange(); }], ready: [u => {
        u.over.addEventListener('click', event => {
          if (this.derived !== 'spectrum' && u.cursor.left! >= 0 && !event.shiftKey) this.onTime(u.posToVal(u.cursor.left!, 'x'));
        });
        this.listen(u);
      }]},
    };
    this.plot = new uPlot(options, [Float64Array.from(this.curves[0].x), ...shown.map(finite)] as uPlot.AlignedData, this.holder);
    const {x} = this.curves[0];
    if (zoom && zoom[0] < zoom[1] && zoom[0] < x[x.length - 1] && zoom[1] > x[0]) this.plot.setScale('x', {min: zoom[0], max: zoom[1]});
    this.curves.forEach((curve, i) => {
      const row = element('div', 'legend-row');
      const value = element('span', 'value');
      row.append(keyOf(i, this.stacked), element('span', 'name', curve.name), value);
      this.values.push(value);
      this.legend.append(row);
    });
    this.setTime(this.time);
  }

  private ended: AbortController | null = null;   // of what listens to the window
  private layers: [Float64Array, Float64Array][] | null = null;

  /// The wheel and two fingers zoom, the wheel across and a drag with shift shift; one finger goes to a time.
  private listen(u: uPlot) {
    const {over} = u, last = u.data[0].length - 1, all: [number, number] = [u.data[0][0], u.data[0][last]];
    const show = (low: number, high: number) => {
      const width = Math.min(high - low, all[1] - all[0]);
      if (!(width > 1e-9 * (all[1] - all[0]))) return;
      const begin = Math.min(Math.max(low, all[0]), all[1] - width);
      u.setScale('x', {min: begin, max: begin + width});
    };
    const range = (): [number, number] => [u.scales.x.min!, u.scales.x.max!];
    const at = (clientX: number) => u.posToVal(clientX - over.getBoundingClientRect().left, 'x');
    over.addEventListener('wheel', event => {
      event.preventDefault();
      const [low, high] = range();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        const by = (high - low) * (event.deltaX || event.deltaY) / 800;
        show(low + by, high + by);
        return;
      }
      const middle = at(event.clientX), factor = Math.exp(Math.sign(event.deltaY) * 0.2);
      show(middle - (middle - low) * factor, middle + (high - middle) * factor);
    }, {passive: false});
    const fingers = new Map<number, number>();
    let held: {low: number; high: number; from: number} | null = null;
    over.addEventListener('mousedown', event => {
      if (!event.shiftKey) return;
      event.stopImmediatePropagation();   // else it would zoom
      event.preventDefault();
      const [low, high] = range();
      held = {low, high, from: event.clientX};
    }, {capture: true});
    this.ended?.abort();
    const {signal} = this.ended = new AbortController();
    addEventListener('mousemove', event => {
      if (!held) return;
      const by = (held.high - held.low) * (held.from - event.clientX) / Math.max(over.clientWidth, 1);
      show(held.low + by, held.high + by);
    }, {signal});
    addEventListener('mouseup', () => { held = null; }, {signal});
    over.addEventListener('pointerdown', event => {
      if (event.pointerType !== 'touch') return;
      over.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, event.clientX);
      if (fingers.size === 1 && this.derived !== 'spectrum') this.onTime(at(event.clientX));
    });
    over.addEventListener('pointermove', event => {
      if (!fingers.has(event.pointerId)) return;
      const before = [...fingers.values()].map(at);
      fingers.set(event.pointerId, event.clientX);
      if (fingers.size === 1 && this.derived !== 'spectrum') this.onTime(at(event.clientX));
      if (fingers.size !== 2 || before[0] === before[1]) return;
      const [a, b] = [...fingers.values()].map(x => (x - over.getBoundingClientRect().left) / Math.max(over.clientWidth, 1));
      if (Math.abs(a - b) < 0.02) return;
      // What was under the fingers stays under them.
      const width = (before[0] - before[1]) / (a - b);
      if (width > 0) show(before[0] - a * width, before[0] + (1 - a) * width);
    });
    for (const end of ['pointerup', 'pointercancel'] as const) over.addEventListener(end, event => { fingers.delete(event.pointerId); });
  }

  private drawCursor(u: uPlot) {
    if (this.derived === 'spectrum') return;
    const x = u.valToPos(this.time, 'x', true);
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
    u.ctx.save();
    u.ctx.strokeStyle = theme().cursor;
    u.ctx.lineWidth = devicePixelRatio;
    u.ctx.setLineDash([]);
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

  /// The drawing, at twice its size.
  private savePng() {
    const {text, width, height} = this.svg();
    if (!text) return;
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement('canvas');
      canvas.width = 2 * width; canvas.height = 2 * height;
      canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(blob => blob && download('plot.png', blob));
    };
    image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(text);
  }

  /// As it is shown, on white, with a legend.
  private svg(): {text: string; width: number; height: number} {
    if (!this.plot) return {text: '', width: 0, height: 0};
    const u = this.plot, width = 800, height = 380, left = 80, bottom = 50, top = 20, right = 20;
    const {min: x0 = 0, max: x1 = 1} = u.scales.x, {min: y0 = 0, max: y1 = 1} = u.scales.y;
    const px = (x: number) => left + (width - left - right) * (x - x0!) / (x1! - x0!);
    const py = (y: number) => height - bottom - (height - top - bottom) * (y - y0!) / (y1! - y0!);
    const {curves} = this, whole = height + 18 * curves.length + 6, parts = [
      `<svg xmlns="${svgSpace}" width="${width}" height="${whole}" viewBox="0 0 ${width} ${whole}" font-family="'Liberation Sans',Arial,sans-serif" font-size="12">`,
      `<rect width="${width}" height="${whole}" fill="#fff"/>`,
      `<clipPath id="inside"><rect x="${left}" y="${top}" width="${width - left - right}" height="${height - top - bottom}"/></clipPath>`];
    const across = ticks(x0!, x1!, 8), up = ticks(y0!, y1!, 6), names = [labelsOf(across), labelsOf(up)];
    across.forEach((x, i) => {
      parts.push(`<path stroke="#ddd" d="M${px(x).toFixed(1)} ${top}V${height - bottom}"/>`,
                 `<text x="${px(x).toFixed(1)}" y="${height - bottom + 16}" text-anchor="middle">${names[0][i]}</text>`);
    });
    up.forEach((y, i) => {
      parts.push(`<path stroke="#ddd" d="M${left} ${py(y).toFixed(1)}H${width - right}"/>`,
                 `<text x="${left - 6}" y="${(py(y) + 4).toFixed(1)}" text-anchor="end">${names[1][i]}</text>`);
    });
    const line = (x: ArrayLike<number>, y: ArrayLike<number>, backwards = false) => {
      let d = '', pen = 'M';
      for (let i = 0; i < x.length; ++i) {
        const k = backwards ? x.length - 1 - i : i;
        if (!Number.isFinite(y[k])) { pen = 'M'; continue; }
        d += `${pen}${px(x[k]).toFixed(1)} ${py(y[k]).toFixed(1)}`;
        pen = 'L';
      }
      return d;
    };
    curves.forEach((curve, i) => {
      const colour = colourOf(i), y = height + 18 * i;
      if (this.layers) {
        const [low, high] = this.layers[i], area = `${line(curve.x, high)}${line(curve.x, low, true).replace(/^M/, 'L')}Z`;
        const hatch = hatchOf(i).map(([x, y1, toX, y2]) => `M${x} ${y1}L${toX} ${y2}`).join('');
        parts.push(`<pattern id="hatch${i}" width="8" height="8" patternUnits="userSpaceOnUse"><path d="${hatch}" stroke="#333" stroke-width="0.8"/></pattern>`);
        for (const fill of [`fill="${colour}" fill-opacity="0.6"`, ...(hatch ? [`fill="url(#hatch${i})"`] : [])]) {
          parts.push(`<path clip-path="url(#inside)" ${fill} d="${area}"/>`, `<path ${fill} d="M${left} ${y - 9}h30v10h-30Z"/>`);
        }
      } else {
        parts.push(`<path clip-path="url(#inside)" fill="none" stroke="${colour}" stroke-width="1.3"${dashText(i)} d="${line(curve.x, curve.y)}"/>`,
                   `<path stroke="${colour}" stroke-width="2"${dashText(i)} d="M${left} ${y - 4}h30"/>`);
      }
      parts.push(`<text x="${left + 38}" y="${y}">${safe(curve.name)}${curve.unit ? ` [${safe(curve.unit)}]` : ''}</text>`);
    });
    parts.push(`<rect x="${left}" y="${top}" width="${width - left - right}" height="${height - top - bottom}" fill="none" stroke="#000"/>`,
               `<text x="${(left + width - right) / 2}" y="${height - 16}" text-anchor="middle">${this.derived === 'spectrum' ? 'frequency [Hz]' : 'time [s]'}</text>`);
    if (curves[0].unit) parts.push(`<text transform="translate(16 ${(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle">[${safe(curves[0].unit)}]</text>`);
    return {text: parts.join('\n') + '</svg>\n', width, height: whole};
  }

  /// What is shown of the axis, when it is not all of it.
  zoomed(): [number, number] | null {
    const range = this.range(), x = this.curves[0]?.x;
    return range && x && (range[0] > x[0] || range[1] < x[x.length - 1]) ? range : null;
  }

  /// The range of time that is shown, for tests and links.
  range(): [number, number] | null {
    const scale = this.plot?.scales.x;
    return scale && scale.min != null && scale.max != null ? [scale.min, scale.max] : null;
  }

  destroy() {
    this.ended?.abort();
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
