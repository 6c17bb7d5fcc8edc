// Results of a run as `clatter` packs them; src/clatter/view/page_data.hpp describes the bytes.
// Whatever does not fit that description ends in a DataError, whose message is shown as text.

export class DataError extends Error {}

export interface Channel {
  path: string;
  unit: string;
  components?: string[];
}

export interface MeshData {
  sphere?: boolean;
  points: number[];
  polygons: number[][];
  lines?: number[][];
}

export type Part = [mesh: number, scale: number, x: number, y: number, z: number];

export interface SceneData {
  planar: boolean;
  gravity: number[];
  meshes: MeshData[];
  bodies: {name: string; mover: number; parts: Part[]; mass?: number; centre?: number[]; sticks?: number[]}[];
  beams: {name: string; first: number; nodes: number; outline: number[]; frames: number[]}[];
  ground: Part[];
  faces: [mover: number, mesh: number][];
  links: {kind: string; name: string; points: [number, number, number, number][]}[];
  contacts: {name: string; a: number; b: number}[];
}

export interface Meta {
  format: number;
  name: string;
  title: string;
  version: string;
  model_file: string;
  model_text: string;
  overrides: string[];
  notes: string[];
  summary: Record<string, unknown>;
  scene: SceneData | null;
  samples: number;
  frames: number[];
  movers: number;
  turns: boolean;
  box: number[];
  quantum: {place: number; turn: number; normal: number};
  channels: Channel[];
  points: number[];
  events: [time: number, size: number, what: string][];
  frame_bytes: number;
  modes?: {frames: number; list: {frequency: number; square: number; free: boolean; damping_ratio: number}[]};
}

export interface Frame {
  places: Float32Array;
  turns: Float32Array | null;
  touches: Float32Array;
  normals: Float32Array;
  tangents: Float32Array;
}

/// One number of every sample, with a name: "bodies/ball/position/z".
export interface Series {
  name: string;
  unit: string;
  channel: number;
  component: number;
}

const letters = 'CLATTER1';
const most_bytes = 2 ** 31;

async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new DataError('The results are cut short or damaged.');
  }
}

class Track {
  private last: Float64Array;
  private before: Float64Array;
  private frames = 0;
  constructor(size: number, private quantum: number) {
    this.last = new Float64Array(size);
    this.before = new Float64Array(size);
  }
  read(reader: Reader): Float32Array {
    const {last, before, quantum} = this;
    const out = new Float32Array(last.length);
    const straight = this.frames++ >= 2;
    for (let i = 0; i < out.length; ++i) {
      const now = reader.number() + (straight ? 2 * last[i] - before[i] : last[i]);
      before[i] = last[i];
      last[i] = now;
      out[i] = now * quantum;
    }
    return out;
  }
}

class Reader {
  constructor(private bytes: Uint8Array, private at: number, private end: number) {}
  /// Zigzag code, seven bits a byte.
  number(): number {
    let value = 0, factor = 1;
    for (;;) {
      if (this.at >= this.end) throw new DataError('The results are cut short.');
      const byte = this.bytes[this.at++];
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) break;
      factor *= 128;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

function check(meta: Meta): void {
  const wrong = () => new DataError('The description of the run is not as it should be.');
  const size = (n: unknown) => typeof n === 'number' && Number.isInteger(n) && n >= 0 && n < most_bytes;
  if (typeof meta !== 'object' || meta === null || !size(meta.samples) || !size(meta.movers)) throw wrong();
  for (const list of [meta.frames, meta.channels, meta.points, meta.events, meta.notes, meta.box]) {
    if (!Array.isArray(list)) throw wrong();
  }
  if (!meta.frames.length || meta.frames.some(f => !size(f) || f >= meta.samples)) throw wrong();
  if (!size(meta.frame_bytes) || meta.points.some(n => !size(n)) || typeof meta.quantum !== 'object') throw wrong();
  for (const channel of meta.channels) {
    if (typeof channel.path !== 'string' || typeof channel.unit !== 'string') throw wrong();
    if (channel.components && !Array.isArray(channel.components)) throw wrong();
  }
  if (typeof meta.summary !== 'object' || meta.summary === null) meta.summary = {};
  if (meta.modes && (!size(meta.modes.frames) || !Array.isArray(meta.modes.list) || !meta.modes.list.length ||
                     meta.modes.frames * meta.modes.list.length !== meta.frames.length)) throw wrong();
}

export class Run {
  readonly times: Float64Array;    // of samples
  readonly frameTimes: Float64Array;
  readonly series: Series[] = [];
  private frames: Frame[] = [];
  private tracks: Track[];
  private reader: Reader;
  private pointStarts: number[] = [0];
  private pointsAt: number;
  private seriesAt: number;
  private widths: number[];
  private firstOf: number[] = [];  // of each channel: numbers of series
  private decoded = new Map<number, Float32Array>();

  private constructor(readonly meta: Meta, private bytes: Uint8Array, start: number) {
    const frames = meta.frames.length, contacts = meta.scene?.contacts?.length ?? 0;
    const timesEnd = start + 8 * (frames + meta.samples);
    this.pointsAt = start + meta.frame_bytes;
    for (const count of meta.points) this.pointStarts.push(this.pointStarts.at(-1)! + count);
    this.seriesAt = this.pointsAt + 32 * this.pointStarts.at(-1)!;
    this.widths = meta.channels.map(c => c.components?.length ?? 1);
    const numbers = this.widths.reduce((a, b) => a + b, 0);
    if (timesEnd > this.pointsAt || this.seriesAt + 4 * numbers * meta.samples !== bytes.length) {
      throw new DataError('The results are cut short, or longer than they say.');
    }
    const times = new Float64Array(bytes.slice(start, timesEnd).buffer);
    this.frameTimes = times.slice(0, frames);
    this.times = times.slice(frames);
    this.reader = new Reader(bytes, timesEnd, this.pointsAt);
    const {place, turn, normal} = meta.quantum;
    this.tracks = [new Track(3 * meta.movers, place), new Track(meta.turns ? 4 * meta.movers : 0, turn),
                   new Track(3 * contacts, place), new Track(3 * contacts, normal), new Track(3 * contacts, normal)];
    meta.channels.forEach((channel, c) => {
      this.firstOf.push(this.series.length);
      for (let i = 0; i < this.widths[c]; ++i) {
        const part = channel.components ? '/' + String(channel.components[i]) : '';
        this.series.push({name: channel.path + part, unit: channel.unit, channel: c, component: i});
      }
    });
  }

  static async open(packed: Uint8Array): Promise<Run> {
    if (packed.length === 0) throw new DataError('The page holds no results.');
    const head = String.fromCharCode(...packed.subarray(0, letters.length));
    if (head !== letters) {
      throw new DataError(head.startsWith('CLATTER')
          ? 'The results are of another version of clatter; write the page anew with the clatter that wrote them.'
          : 'These are no results of clatter.');
    }
    const bytes = await inflate(packed.subarray(letters.length));
    if (bytes.length < 4) throw new DataError('The results are cut short.');
    const length = new DataView(bytes.buffer).getUint32(0, true);
    if (4 + length > bytes.length) throw new DataError('The results are cut short.');
    let meta: Meta;
    try {
      meta = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    } catch {
      throw new DataError('The description of the run cannot be read.');
    }
    if (meta?.format !== 2) {
      throw new DataError('The results are of another version of clatter; write the page anew.');
    }
    check(meta);
    return new Run(meta, bytes, Math.ceil((4 + length) / 8) * 8);
  }

  get frameCount(): number { return this.meta.frames.length; }
  get decodedFrames(): number { return this.frames.length; }

  frame(f: number): Frame {
    while (this.frames.length <= f) {
      const [places, turns, touches, normals, tangents] = this.tracks.map(track => track.read(this.reader));
      this.frames.push({places, turns: this.meta.turns ? turns : null, touches, normals, tangents});
    }
    return this.frames[f];
  }

  /// Points of contact of a frame, eight numbers each: position, force, status, gap.
  points(f: number): Float32Array {
    if (f + 1 >= this.pointStarts.length) return new Float32Array(0);
    const begin = this.pointsAt + 32 * this.pointStarts[f], end = this.pointsAt + 32 * this.pointStarts[f + 1];
    return new Float32Array(this.bytes.slice(begin, end).buffer);
  }

  values(series: Series): Float32Array {
    const number = this.firstOf[series.channel] + series.component;
    let found = this.decoded.get(number);
    if (!found) {
      const n = this.meta.samples, at = this.seriesAt + 4 * n * number, b = this.bytes;
      const bits = new Uint32Array(n);
      for (let i = 0, last = 0; i < n; ++i) {
        const change = b[at + i] | (b[at + n + i] << 8) | (b[at + 2 * n + i] << 16) | (b[at + 3 * n + i] << 24);
        last = (last + change) >>> 0;
        bits[i] = last;
      }
      found = new Float32Array(bits.buffer);
      this.decoded.set(number, found);
    }
    return found;
  }

  private byName?: Map<string, Series>;
  find(name: string): Series | undefined {
    this.byName ??= new Map(this.series.map(s => [s.name, s]));
    return this.byName.get(name);
  }

  /// The sample at or before a time.
  sampleAt(time: number): number {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle; else high = middle - 1;
    }
    return low;
  }

  frameAt(time: number): number {
    let low = 0, high = this.frameTimes.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frameTimes[middle] <= time + 1e-12) low = middle; else high = middle - 1;
    }
    return low;
  }
}

export function fromBase64(text: string): Uint8Array {
  const trimmed = text.trim(), quick = (Uint8Array as unknown as {fromBase64?: (text: string) => Uint8Array}).fromBase64;
  let binary: string;
  try {
    if (quick) return quick.call(Uint8Array, trimmed);   // in newer browsers
    binary = atob(trimmed);
  } catch {
    throw new DataError('The results in this page are damaged.');
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
