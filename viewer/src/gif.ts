// Pictures that move, for where no film is played: GIF with one palette of its own for all pictures.

const most_colours = 255;   // the last number stands for what has not changed

/// Colours of sample pictures, halved along their widest side until there are enough.
function paletteOf(samples: Uint8ClampedArray[]): number[][] {
  const counts = new Map<number, number>();
  for (const pixels of samples) {
    for (let i = 0; i < pixels.length; i += 4) {
      const key = (pixels[i] >> 2) << 12 | (pixels[i + 1] >> 2) << 6 | pixels[i + 2] >> 2;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  type Colour = [red: number, green: number, blue: number, count: number];
  const spread = (box: Colour[]) => [0, 1, 2].map(k => {
    let low = 255, high = 0;
    for (const c of box) { low = Math.min(low, c[k]); high = Math.max(high, c[k]); }
    return high - low;
  });
  const measured = (box: Colour[]) => {
    const sides = spread(box), side = sides.indexOf(Math.max(...sides));
    return {box, side, weight: sides[side] * Math.sqrt(box.reduce((sum, c) => sum + c[3], 0))};
  };
  const boxes = [measured([...counts].map(([key, count]) =>
    [(key >> 12) * 4 + 2, (key >> 6 & 63) * 4 + 2, (key & 63) * 4 + 2, count] as Colour))];
  while (boxes.length < most_colours) {
    let widest = 0;
    boxes.forEach((each, i) => { if (each.weight > boxes[widest].weight) widest = i; });
    const {box, side, weight} = boxes[widest];
    if (weight === 0 || box.length < 2) break;
    box.sort((a, b) => a[side] - b[side]);
    const half = box.reduce((sum, c) => sum + c[3], 0) / 2;
    let cut = 0, sum = 0;
    while (cut < box.length - 1 && (sum += box[cut][3]) <= half) ++cut;
    cut = Math.max(cut, 1);
    boxes.splice(widest, 1, measured(box.slice(0, cut)), measured(box.slice(cut)));
  }
  return boxes.map(({box}) => {
    const all = box.reduce((sum, c) => sum + c[3], 0);
    return [0, 1, 2].map(k => Math.round(box.reduce((sum, c) => sum + c[k] * c[3], 0) / all));
  });
}

/// Bytes that grow.
class Out {
  private bytes = new Uint8Array(1 << 16);
  length = 0;
  put(...values: number[]) { for (const value of values) this.byte(value); }
  byte(value: number) {
    if (this.length === this.bytes.length) {
      const more = new Uint8Array(2 * this.length);
      more.set(this.bytes);
      this.bytes = more;
    }
    this.bytes[this.length++] = value;
  }
  short(value: number) { this.put(value & 255, value >> 8); }
  text(letters: string) { for (const letter of letters) this.byte(letter.charCodeAt(0)); }
  get all() { return this.bytes.subarray(0, this.length); }
}

/// Lempel, Ziv and Welch's code of numbers below 256, in blocks of at most 255 bytes.
function compress(out: Out, numbers: Uint8Array) {
  const clear = 256, end = 257;
  let width = 9, next = end + 1, bits = 0, held = 0;
  const block: number[] = [];
  const flush = () => { if (block.length) { out.byte(block.length); for (const b of block) out.byte(b); block.length = 0; } };
  const put = (code: number) => {
    held |= code << bits;
    for (bits += width; bits >= 8; bits -= 8) {
      block.push(held & 255);
      held >>>= 8;
      if (block.length === 255) flush();
    }
  };
  let words = new Map<number, number>();
  out.byte(8);
  put(clear);
  let word = numbers[0];
  for (let i = 1; i < numbers.length; ++i) {
    const key = word << 8 | numbers[i], known = words.get(key);
    if (known !== undefined) { word = known; continue; }
    put(word);
    if (next < 4096) {
      words.set(key, next);
      if (next++ === 1 << width) ++width;
    } else {
      put(clear);
      words = new Map();
      width = 9;
      next = end + 1;
    }
    word = numbers[i];
  }
  put(word);
  if (next === 1 << width && width < 12) ++width;
  put(end);
  if (bits > 0) block.push(held & 255);
  flush();
  out.byte(0);
}

export class Gif {
  private out = new Out();
  private palette: number[][];
  private nearest = new Map<number, number>();
  private last: Uint8Array | null = null;

  /// `delay` in hundredths of a second; `samples`: pictures that have the colours of all.
  constructor(private width: number, private height: number, private delay: number, samples: Uint8ClampedArray[]) {
    this.palette = paletteOf(samples);
    const {out} = this;
    out.text('GIF89a');
    out.short(width);
    out.short(height);
    out.put(0xf7, 0, 0);
    for (let i = 0; i < 256; ++i) out.put(...(this.palette[i] ?? [0, 0, 0]));
    out.put(0x21, 0xff, 11);
    out.text('NETSCAPE2.0');
    out.put(3, 1, 0, 0, 0);   // for ever
  }

  private numberOf(red: number, green: number, blue: number): number {
    const key = (red >> 2) << 12 | (green >> 2) << 6 | blue >> 2;
    let best = this.nearest.get(key);
    if (best !== undefined) return best;
    let least = Infinity;
    best = 0;
    this.palette.forEach(([r, g, b], i) => {
      const distance = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
      if (distance < least) { least = distance; best = i; }
    });
    this.nearest.set(key, best);
    return best;
  }

  add(pixels: Uint8ClampedArray) {
    const numbers = new Uint8Array(this.width * this.height), {out, last} = this;
    for (let i = 0; i < numbers.length; ++i) numbers[i] = this.numberOf(pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2]);
    out.put(0x21, 0xf9, 4, last ? 5 : 4);
    out.short(this.delay);
    out.put(most_colours, 0, 0x2c, 0, 0, 0, 0);
    out.short(this.width);
    out.short(this.height);
    out.byte(0);
    compress(out, last ? numbers.map((each, i) => (each === last[i] ? most_colours : each)) : numbers);
    this.last = numbers;
  }

  finish(): Uint8Array {
    this.out.byte(0x3b);
    return this.out.all;
  }
}
