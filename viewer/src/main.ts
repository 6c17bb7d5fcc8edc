import 'uplot/dist/uPlot.min.css';
import './style.css';
import {DataError, fromBase64, Run} from './data';
import {element, format} from './dom';
import {derivations, Derived, PlotCard} from './plots';
import {isDark, statusNames, theme} from './colours';
import {Gif} from './gif';
import {Picked, Preset, SceneView, Shown} from './scene';

const most_found = 200;   // channels in the list

/// What pictures are asked for.
interface Wish { width?: number; height?: number; time?: number; rate?: number; seconds?: number; plain?: boolean }

interface ViewState {
  t?: number; camera?: number[]; pick?: Picked | null; shown?: Partial<Shown>; run?: number; speed?: number; loop?: boolean; tab?: number; theme?: string;
  plots?: [string[], Derived, boolean?, ([number, number] | null)?][];   // names, what is derived, stacked, part of the axis
}

class App {
  private views: {view: SceneView; run: Run}[] = [];
  private cards: PlotCard[] = [];
  private time: number;
  private playing = false;
  private speed = 1;
  private loop = true;
  private lastTick = 0;
  private selected: Picked | null = null;
  private shown: Shown = {contacts: true, forces: true, velocities: false, momenta: false, trails: false, links: true, faces: true, shadows: true,
                          follow: false, beamQuantity: '', section: 'none', sectionAt: 0.5, arrowSize: 1};
  private scenes = element('div', 'scenes');
  private timeLabel = element('span', 'time');
  private range = document.createElement('input');
  private marks = document.createElement('canvas');
  private playButton!: HTMLButtonElement;
  private search = document.createElement('input');
  private found = element('div', 'found');
  private cardList = element('div', 'cards');
  private pickedLabel = element('div', 'picked');
  private which = 0;        // run in the scene; -1: side by side, -2: over each other
  private mode = 0;         // that is shown, of modes
  private speedMenu = document.createElement('select');
  private tab = 0;          // that is open
  private saving = 0;
  private stopped = false;

  constructor(private root: HTMLElement, private runs: Run[], state: ViewState) {
    // In crowds they cost more than they show.
    this.shown.shadows = (runs[0].meta.scene?.bodies.length ?? 0) <= 1000;
    this.time = runs[0].frameTimes[0];
    if (state.shown) for (const [key, value] of Object.entries(state.shown)) {
      const k = key as keyof Shown;
      if (typeof value === typeof this.shown[k]) (this.shown as unknown as Record<string, unknown>)[k] = value;
    }
    if (state.theme === 'dark' || state.theme === 'light') document.documentElement.dataset.theme = state.theme;
    if (typeof state.loop === 'boolean') this.loop = state.loop;
    if (typeof state.tab === 'number') this.tab = state.tab;
    if (typeof state.run === 'number' && state.run < runs.length) this.which = Math.max(-2, Math.floor(state.run));
    this.build(state.speed);
    this.showScenes();
    if (Array.isArray(state.camera)) for (const {view} of this.views) view.setCamera(state.camera);
    for (const entry of Array.isArray(state.plots) ? state.plots : []) {
      if (!Array.isArray(entry) || !Array.isArray(entry[0])) continue;
      this.addPlot(entry[0].filter(n => typeof n === 'string' && runs[0].find(n)), derivations.includes(entry[1]) ? entry[1] : 'none', entry[2] === true,
                   Array.isArray(entry[3]) && entry[3].length === 2 && entry[3].every(Number.isFinite) ? entry[3] : null);
    }
    if (!state.plots) this.firstPlots();
    if (state.pick && typeof state.pick.name === 'string') this.pick(state.pick);
    if (this.modes) {
      this.showMode(typeof state.t === 'number' ? Math.floor(state.t + 1e-9) - 1 : this.modes.list.findIndex(mode => !mode.free));
      this.play(true);
    } else {
      this.setTime(typeof state.t === 'number' && Number.isFinite(state.t) ? state.t : this.time);
    }
    requestAnimationFrame(now => this.tick(now));
  }

  get modes() { return this.runs[0].meta.modes; }
  /// The frames that play: all, or those of a mode.
  private get span(): [number, number] {
    const {modes} = this;
    return modes ? [this.mode * modes.frames, (this.mode + 1) * modes.frames - 1] : [0, this.runs[0].frameCount - 1];
  }
  get end() {
    if (this.modes) return this.runs[0].frameTimes[this.span[1]];
    return Math.max(...this.runs.map(run => run.frameTimes.at(-1)!));
  }
  get start() { return this.runs[0].frameTimes[this.span[0]]; }

  private build(wantedSpeed?: number) {
    const {meta} = this.runs[0];
    document.title = meta.title || meta.name || 'clatter';
    const head = element('header');
    head.append(element('h1', '', meta.title || meta.name));
    const status = String(meta.summary.status ?? '');
    head.append(element('span', `badge ${status === 'finished' ? 'good' : 'doubtful'}`, status || 'unknown'));
    const from = element('span', 'quiet', [meta.model_file?.split('/').at(-1), `clatter ${meta.version}`].filter(Boolean).join(' · '));
    from.title = meta.model_file ?? '';
    head.append(from);
    head.append(element('span', 'grow'));
    const dark = this.button('◐', 'Light or dark', () => {
      document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
      for (const {view} of this.views) view.setTheme();
      for (const card of this.cards) card.draw();
      this.saveSoon();
    });
    const link = this.button('Link', 'Copy a link to this view', () => {
      this.saveState();
      void navigator.clipboard?.writeText(location.href).catch(() => undefined);
    });
    head.append(link, dark);

    const left = element('div', 'left');
    left.append(this.toolbar(), this.scenes, this.pickedLabel, this.timeline(wantedSpeed));
    const right = element('aside');
    right.append(this.tabs());
    const main = element('main');
    main.append(left, right);
    this.root.replaceChildren(head, main);
    addEventListener('keydown', event => { if (!this.stopped) this.key(event); });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      if (this.stopped) return;
      for (const {view} of this.views) view.setTheme();
      for (const card of this.cards) card.draw();
    });
  }

  private button(text: string, help: string, action: () => void, className = ''): HTMLButtonElement {
    const made = element('button', className, text) as HTMLButtonElement;
    made.title = help;
    made.setAttribute('aria-label', help);
    made.addEventListener('click', action);
    return made;
  }

  private toolbar(): HTMLElement {
    const bar = element('div', 'toolbar');
    const planar = this.runs[0].meta.scene?.planar;
    const presets: [Preset, string][] = planar ? [['front', 'Fit'], ['near', 'Near']] : [['iso', 'Fit'], ['near', 'Near'], ['front', 'Front'], ['side', 'Side'], ['top', 'Top']];
    for (const [preset, text] of presets) bar.append(this.button(text, preset === 'near' ? 'View: what there is at this time' : `View: ${text}`, () => this.views.forEach(v => v.view.preset(preset))));
    const toggle = (key: 'contacts' | 'forces' | 'velocities' | 'momenta' | 'shadows' | 'trails' | 'links' | 'faces' | 'follow', text: string, help: string) => {
      const label = element('label', '', '');
      const box = document.createElement('input');
      box.type = 'checkbox';
      box.checked = this.shown[key];
      box.dataset.shown = key;
      box.addEventListener('change', () => { this.shown[key] = box.checked; this.refresh(); this.saveSoon(); });
      label.append(box, text);
      label.title = help;
      bar.append(label);
    };
    toggle('contacts', 'contacts', 'Points of contact');
    toggle('forces', 'forces', 'Arrows of contact forces, of impacts in their own scale');
    toggle('velocities', 'velocities', 'Arrows of velocities');
    toggle('momenta', 'momenta', 'Arrows of momenta, at the centres of mass');
    toggle('trails', 'trails', 'Ways of bodies');
    toggle('links', 'joints', 'Joints, springs and cables');
    toggle('faces', 'ground', 'Ground and faces of contacts');
    if (!planar) toggle('shadows', 'shadows', 'Shadows on bodies and ground');
    toggle('follow', 'follow', 'Keep the selected body in sight, or all bodies');
    const menu = (help: string, options: [string, string][], value: string, action: (v: string) => void) => {
      const select = document.createElement('select');
      select.title = help;
      select.setAttribute('aria-label', help);
      for (const [v, text] of options) select.append(new Option(text, v));
      select.value = value;
      select.addEventListener('change', () => { action(select.value); this.refresh(); this.saveSoon(); });
      bar.append(select);
    };
    if (this.runs[0].meta.scene?.beams.length) {
      const names = new Set<string>();
      for (const channel of this.runs[0].meta.channels) {
        const found = /^beams\/[^/]+\/((?:axial|shear|bending|torque|twist|curvature)[a-z_]*)$/.exec(channel.path);
        if (found) names.add(found[1]);
      }
      menu('Colour of beams', [['', 'beams plain'], ...[...names].map(n => [n, n.replaceAll('_', ' ')] as [string, string])],
           this.shown.beamQuantity, v => { this.shown.beamQuantity = v; });
    }
    if (!planar) {
      const where = document.createElement('input');
      menu('Section', [['none', 'no section'], ['x', 'section x'], ['y', 'section y'], ['z', 'section z']], this.shown.section,
           v => { this.shown.section = v as Shown['section']; where.hidden = v === 'none'; });
      where.hidden = this.shown.section === 'none';
      where.type = 'range'; where.min = '0'; where.max = '1'; where.step = '0.005'; where.value = String(this.shown.sectionAt);
      where.className = 'short';
      where.title = 'Place of the section';
      where.addEventListener('input', () => { this.shown.sectionAt = Number(where.value); this.refresh(); this.saveSoon(); });
      bar.append(where);
    }
    if (this.runs.length > 1) {
      menu('Run in the scene', [...this.runs.map((run, i) => [String(i), run.meta.name] as [string, string]), ['-1', 'side by side'], ['-2', 'over each other']],
           String(this.which), v => { this.which = Number(v); this.showScenes(); });
    }
    bar.append(element('span', 'grow'));
    const keys = element('span', 'statuses');
    keys.title = 'What marks of contacts mean';
    statusNames.forEach((name, i) => keys.append(element('span', `s${i}`, ['●', '■', '◆', '▲'][i] + ' ' + name)));
    bar.append(keys);
    bar.append(this.button('PNG', 'Save a picture of the scene', () => this.views[0]?.view.canvas.toBlob(blob => {
      if (!blob) return;
      const a = document.createElement('a');
      a.href = URL.createObjectURL(blob);
      a.download = 'scene.png';
      a.click();
    })));
    return bar;
  }

  private timeline(wanted?: number): HTMLElement {
    const bar = element('div', 'timeline');
    this.playButton = this.button('▶', 'Play or pause (space)', () => this.play(!this.playing), 'play');
    const speed = this.speedMenu;
    speed.title = 'Speed';
    speed.setAttribute('aria-label', 'Speed');
    // Runs of a millisecond and of an hour both take about ten seconds at first; a mode vibrates once in 1.6 s.
    const whole = this.end - this.start || 1, usual = this.modes ? 0.625 : Number((whole / 8).toPrecision(1));
    const speeds = [...new Set(this.modes ? [usual / 4, usual / 2, usual, 2 * usual]
                                          : [usual / 10, usual / 4, usual, usual * 4, 1])].sort((a, b) => a - b);
    for (const s of speeds) speed.append(new Option(`${format(this.modes ? s / usual : s, 3)}×`, String(s)));
    this.speed = !this.modes && whole >= 3 && whole <= 20 ? 1 : usual;
    if (speeds.includes(wanted ?? NaN)) this.speed = wanted!;
    speed.value = String(this.speed);
    speed.addEventListener('change', () => { this.speed = Number(speed.value); this.saveSoon(); });
    const loop = element('label');
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.checked = this.loop;
    box.addEventListener('change', () => { this.loop = box.checked; this.saveSoon(); });
    loop.append(box, 'loop');
    this.range.type = 'range';
    [this.range.min, this.range.max] = this.span.map(String);
    this.range.step = '1';
    this.range.setAttribute('aria-label', 'Time');
    this.range.addEventListener('input', () => { this.play(false); this.setTime(this.runs[0].frameTimes[Number(this.range.value)]); });
    const slot = element('div', 'slot');
    this.marks.className = 'marks';
    this.marks.title = 'Impacts; from above: steps that were cut, lessened or plastic';
    slot.append(this.range, this.marks);
    new ResizeObserver(() => this.drawMarks()).observe(slot);
    bar.append(this.playButton, this.button('‹', 'Step back (←)', () => this.step(-1)), this.button('›', 'Step on (→)', () => this.step(1)),
               slot, this.timeLabel, speed, loop);
    return bar;
  }

  private drawMarks() {
    const width = this.marks.clientWidth, height = this.marks.clientHeight;
    this.marks.width = width * devicePixelRatio;
    this.marks.height = height * devicePixelRatio;
    const context = this.marks.getContext('2d');
    if (!context) return;
    context.scale(devicePixelRatio, devicePixelRatio);
    const {events} = this.runs[0].meta, most = Math.max(...events.filter(e => !e[2].startsWith('solver/')).map(e => e[1]), 1e-300), knob = 8;
    for (const [time, size, what] of events) {
      const x = knob + (width - 2 * knob) * (time - this.start) / (this.end - this.start || 1);
      const isStep = what.startsWith('solver/');
      context.fillStyle = isStep ? '#e69f00' : '#cc2288';
      // Hard steps hang from above, impacts stand: told apart without their colours, too.
      const h = height * (isStep ? 0.45 : 0.35 + 0.65 * Math.sqrt(size / most));
      context.fillRect(x - 0.6, isStep ? 0 : height - h, 1.2, h);
    }
  }

  private tabs(): HTMLElement {
    const holder = element('div', 'tabs'), row = element('div', 'tab-row');
    row.setAttribute('role', 'tablist');
    const pages: [string, HTMLElement][] = this.modes
        ? [['Modes', this.modesPage()], ['Summary', this.summaryPage()], ['Model', this.modelPage()]]
        : [['Plots', this.plotsPage()], ['Summary', this.summaryPage()], ['Impacts', this.impactsPage()], ['Model', this.modelPage()]];
    const buttons = pages.map(([name, page], i) => {
      const b = this.button(name, name, () => {
        this.tab = i;
        pages.forEach(([, p], k) => { p.hidden = k !== i; buttons[k].classList.toggle('on', k === i); buttons[k].setAttribute('aria-selected', String(k === i)); });
        this.saveSoon();
      });
      b.setAttribute('role', 'tab');
      row.append(b);
      return b;
    });
    holder.append(row, ...pages.map(p => p[1]));
    (buttons[this.tab] ?? buttons[0]).click();
    return holder;
  }

  private modesPage(): HTMLElement {
    const page = element('div', 'page'), table = element('table'), head = element('tr');
    page.append(element('p', 'quiet', 'Click a mode to see it. It is drawn much larger than it is.'));
    for (const name of ['mode', 'frequency [Hz]', 'damping ratio', '']) head.append(element('th', '', name));
    table.append(head);
    this.modes!.list.forEach(({frequency, square, free, damping_ratio}, i) => {
      const row = element('tr', 'link');
      row.tabIndex = 0;
      const what = free ? 'free motion' : square < 0 ? `unstable, grows as exp(${format(Math.sqrt(-square), 4)} t/s)` : '';
      row.append(element('td', 'number', String(i + 1)), element('td', 'number', square < 0 && !free ? '' : format(free ? 0 : frequency, 6)),
                 element('td', 'number', free ? '' : format(damping_ratio, 4)), element('td', '', what));
      const go = () => { this.showMode(i); this.play(true); };
      row.addEventListener('click', go);
      row.addEventListener('keydown', e => { if (e.key === 'Enter') go(); });
      table.append(row);
    });
    this.modeRows = [...table.children].slice(1) as HTMLElement[];
    page.append(table);
    return page;
  }
  private modeRows: HTMLElement[] = [];

  private showMode(i: number) {
    this.mode = Math.min(Math.max(i, 0), this.modes!.list.length - 1);
    [this.range.min, this.range.max] = this.span.map(String);
    this.modeRows.forEach((row, k) => row.classList.toggle('on', k === this.mode));
    this.setTime(this.start);
  }

  private plotsPage(): HTMLElement {
    const page = element('div', 'page');
    this.search.type = 'search';
    this.search.placeholder = 'Search channels: ball velocity, gap, energy …';
    this.search.setAttribute('aria-label', 'Search channels');
    this.search.addEventListener('input', () => this.find());
    this.search.addEventListener('focus', () => this.find());
    page.append(this.search, this.found, this.cardList);
    return page;
  }

  private find() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.found.replaceChildren();
    if (!words.length) return;
    const list = this.runs[0].series.filter(s => words.every(w => s.name.toLowerCase().includes(w)));
    const head = element('div', 'found-head', `${list.length} found `);
    if (list.length > 1 && list.length <= 24) head.append(this.button('plot all', 'Plot all that were found', () => this.plotAll(list.map(s => s.name)), 'small'));
    this.found.append(head);
    for (const series of list.slice(0, most_found)) {
      const row = this.button(series.name, `Plot ${series.name}`, () => { this.addPlot([series.name]); this.closeSearch(); }, 'result');
      if (series.unit) row.append(element('span', 'quiet', ` [${series.unit}]`));
      this.found.append(row);
    }
  }

  private closeSearch() { this.search.value = ''; this.found.replaceChildren(); }

  private plotAll(names: string[]) {
    const units = new Map<string, string[]>();
    for (const name of names) {
      const unit = this.runs[0].find(name)?.unit ?? '';
      units.set(unit, [...(units.get(unit) ?? []), name]);
    }
    for (const group of units.values()) this.addPlot(group);
    this.closeSearch();
  }

  private firstPlots() {
    const run = this.runs[0];
    if (this.modes) return;
    const have = (list: string[]) => list.filter(name => run.find(name));
    // Neither what stands still nor round-off is worth a plot.
    const {box} = run.meta, size = Math.hypot(...[0, 1, 2].map(k => box[k + 3] - box[k])) || 0;
    const moving = (names: string[]) => names.filter(name => {
      const values = run.values(run.find(name)!);
      let low = Infinity, high = -Infinity;
      for (const v of values) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
      return high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high), size);
    });
    const ledger = ['kinetic', 'gravity', 'elastic', 'friction_loss', 'impact_loss', 'damper_loss', 'scheme_loss'].map(n => `energy/${n}`);
    const largest = (name: string) => run.values(run.find(name)!).reduce((most, v) => Math.max(most, Math.abs(v) || 0), 0);
    const most = Math.max(...have(ledger).map(largest), 0);
    const stack = have(ledger).filter(name => largest(name) > 1e-6 * most);
    if (stack.length) this.addPlot(stack, 'none', true);
    const gaps = moving(run.series.filter(s => /^contacts\/.*\/gap$/.test(s.name)).slice(0, 60).map(s => s.name)).slice(0, 6);
    if (gaps.length) this.addPlot(gaps);
    // The first body that goes somewhere, else the first that turns; of machines of beams alone an end.
    const beam = run.meta.scene?.beams[0], places: string[][] = [];
    for (const quantity of ['position', 'angular_velocity']) for (const {name} of run.meta.scene?.bodies.slice(0, 50) ?? []) {
      places.push(['/x', '/y', '/z', ''].map(k => `bodies/${name}/${quantity}${k}`));
    }
    if (beam) places.push(['x', 'y', 'z'].map(k => `beams/${beam.name}/position/${beam.nodes - 1}/${k}`));
    const position = places.map(names => moving(have(names))).find(names => names.length) ?? [];
    if (position.length) this.addPlot(position);
  }

  addPlot(names: string[], derived: Derived = 'none', stacked = false, range: [number, number] | null = null) {
    if (!names.length) return;
    const card: PlotCard = new PlotCard(this.runs, names, derived, stacked, range, t => { this.play(false); this.setTime(t); },
        () => { this.cards = this.cards.filter(c => c !== card); this.saveSoon(); }, () => this.saveSoon());
    this.cards.unshift(card);
    this.cardList.prepend(card.element);
    card.draw();
    card.setTime(this.time);
    this.saveSoon();
  }

  private summaryPage(): HTMLElement {
    const page = element('div', 'page');
    for (const run of this.runs) {
      if (this.runs.length > 1) page.append(element('h2', '', run.meta.name));
      const summary = run.meta.summary;
      const warnings = [...(Array.isArray(summary.notices) ? summary.notices : []), ...(summary.message ? [summary.message] : []), ...run.meta.notes];
      for (const warning of warnings) page.append(element('p', 'warning', String(warning)));
      const table = element('table');
      const add = (name: string, value: unknown, depth: number) => {
        if (depth < 3 && typeof value === 'object' && value !== null && !Array.isArray(value)) {
          const row = element('tr');
          const cell = element('th', '', name);
          (cell as HTMLTableCellElement).colSpan = 2;
          row.append(cell);
          table.append(row);
          for (const [key, each] of Object.entries(value)) add(key, each, depth + 1);
          return;
        }
        const row = element('tr');
        const text = typeof value === 'number' ? format(value, 6) : Array.isArray(value) ? value.map(v => String(v)).join(', ') : String(value);
        row.append(element('td', 'name', name.replaceAll('_', ' ')), element('td', typeof value === 'number' ? 'number' : 'words', text));
        table.append(row);
      };
      for (const [key, value] of Object.entries(summary)) if (key !== 'notices' && key !== 'message') add(key, value, 0);
      page.append(table);
      page.append(element('p', 'quiet', `Positions in the animation are off by at most ${format(run.meta.quantum.place / 2, 2)} m, ` +
          'values of channels by 6e-8 of their size.'));
    }
    return page;
  }

  private impactsPage(): HTMLElement {
    const page = element('div', 'page');
    for (const run of this.runs) {
      if (this.runs.length > 1) page.append(element('h2', '', run.meta.name));
      this.addImpacts(page, run);
    }
    return page;
  }

  private addImpacts(page: HTMLElement, run: Run) {
    const {events} = run.meta, isStep = (what: string) => what.startsWith('solver/'), steps = events.filter(e => isStep(e[2])).length;
    page.append(element('p', 'quiet', events.length ? `${events.length - steps} impacts, ${steps} steps that were cut or hard; click one to go there, a heading to sort.`
                                                    : 'No impacts are told apart in these results.'));
    if (!events.length) return;
    const table = element('table'), body = document.createElement('tbody'), head = element('tr');
    const fill = (by: number, down: boolean) => {
      body.replaceChildren();
      const order = (a: unknown, b: unknown) => (typeof a === 'number' ? a - (b as number) : String(a).localeCompare(String(b)));
      const sorted = [...events].sort((a, b) => (down ? -1 : 1) * order(a[by], b[by]));
      for (const [time, size, what] of sorted.slice(0, 500)) {
        const row = element('tr', 'link');
        row.tabIndex = 0;
        const place = isStep(what) ? `step: ${what === 'solver/substeps' ? `cut, ${size} parts` : what.slice(7).replace('_steps', '')}` : what.replace(/^contacts\//, '');
        row.append(element('td', 'number', format(time, 6)), element('td', 'number', isStep(what) ? '' : format(size, 5)), element('td', '', place));
        const go = () => { this.play(false); this.setTime(time); if (!isStep(what)) this.pick({kind: 'contact', name: what.replace(/^contacts\//, '')}); };
        row.addEventListener('click', go);
        row.addEventListener('keydown', e => { if (e.key === 'Enter') go(); });
        body.append(row);
      }
      if (events.length > 500) body.append(element('tr', 'quiet', `and ${events.length - 500} more`));
    };
    let last = 0, down = false;
    ['time [s]', 'impulse [N s]', 'where'].forEach((name, by) => {
      const cell = element('th'), button = this.button(name, `Sort by ${name}`, () => {
        down = by === last ? !down : by === 1;
        last = by;
        fill(by, down);
      }, 'heading');
      cell.append(button);
      head.append(cell);
    });
    fill(0, false);
    table.append(head, body);
    page.append(table);
  }

  private modelPage(): HTMLElement {
    const page = element('div', 'page');
    for (const {meta} of this.runs) {
      if (meta.overrides?.length) page.append(element('p', 'quiet', `--set ${meta.overrides.join(' --set ')}`));
      page.append(element('pre', '', meta.model_text ?? ''));
    }
    return page;
  }

  private showScenes() {
    for (const {view} of this.views) view.dispose();
    this.views = [];
    this.scenes.replaceChildren();
    const over = this.which === -2 ? this.runs.slice(1) : [];
    const chosen = this.which === -1 ? this.runs : [this.runs[Math.max(this.which, 0)]];
    for (const run of chosen) {
      if (!run.meta.scene) {
        this.scenes.append(element('p', 'message', run.meta.notes.join(' ') || 'There is nothing to draw.'));
        continue;
      }
      try {
        const view: SceneView = new SceneView(run, this.shown, picked => this.pick(picked), byHand => {
          // Side by side they are turned together.
          if (byHand && !this.shown.follow) for (const other of this.views) if (other.view !== view) other.view.setCamera(view.cameraState());
          this.saveSoon();
        }, over, this.which === -1 ? this.runs.filter(other => other !== run) : []);
        view.selected = this.selected;
        this.scenes.append(view.element);
        if (this.which === -1) view.element.append(element('span', 'name-of-run', run.meta.name));
        if (over.length) view.element.append(element('span', 'name-of-run', `${run.meta.name}, and pale: ${over.map(r => r.meta.name).join(', ')}`));
        view.preset('iso');
        this.views.push({view, run});
      } catch (error) {
        this.scenes.append(element('p', 'message', `The scene cannot be drawn (${error instanceof Error ? error.message : 'unknown'}); plots and tables work.`));
      }
    }
    this.refresh();
  }

  private pick(picked: Picked | null) {
    this.selected = picked;
    for (const {view} of this.views) view.select(picked);
    this.pickedLabel.replaceChildren();
    if (picked) {
      const folder = {body: 'bodies', beam: 'beams', contact: 'contacts'}[picked.kind];
      const prefix = picked.name.startsWith('pairs/') ? picked.name : `${folder}/${picked.name}`;
      this.pickedLabel.append(element('strong', '', `${picked.kind} ${picked.name} `));
      for (const channel of this.runs[0].meta.channels.filter(c => c.path.startsWith(prefix + '/')).slice(0, 40)) {
        const names = this.runs[0].series.filter(s => s.name === channel.path || s.name.startsWith(channel.path + '/')).map(s => s.name);
        this.pickedLabel.append(this.button(channel.path.slice(prefix.length + 1), `Plot ${channel.path}`, () => this.addPlot(names.slice(0, 24)), 'small'));
      }
    }
    this.saveSoon();
  }

  play(on: boolean) {
    if (on && this.time >= this.end - 1e-12) this.setTime(this.start);
    this.playing = on;
    this.playButton.textContent = on ? '▮▮' : '▶';
    this.lastTick = performance.now();
  }

  private step(by: number) {
    this.play(false);
    const run = this.runs[0], f = Math.min(Math.max(run.frameAt(this.time) + by, 0), run.frameCount - 1);
    this.setTime(run.frameTimes[f]);
  }

  private label(): string {
    const {modes} = this;
    if (!modes) return `${format(this.time, 5)} s of ${format(this.end, 4)}`;
    const {free, frequency, square} = modes.list[this.mode];
    return `mode ${this.mode + 1} of ${modes.list.length}: ${free ? 'free motion' : square < 0 ? 'unstable' : `${format(frequency, 5)} Hz`}`;
  }

  setTime(time: number) {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.range.value = String(this.runs[0].frameAt(this.time));
    this.timeLabel.textContent = this.label();
    this.refresh();
    for (const card of this.cards) card.setTime(this.time);
    if (!this.playing) this.saveSoon();
  }

  private refresh() {
    for (const {view, run} of this.views) view.show(run.frameAt(this.time));
  }

  private tick(now: number) {
    if (this.stopped) return;
    if (this.playing) {
      const next = this.time + this.speed * (now - this.lastTick) / 1000;
      this.lastTick = now;
      if (next <= this.end) this.setTime(next);
      else if (this.loop) this.setTime(this.start);
      else { this.setTime(this.end); this.play(false); }
    }
    // Frames are decoded ahead while there is time for it.
    const until = performance.now() + 8;
    for (const run of this.runs) {
      while (run.decodedFrames < run.frameCount && performance.now() < until) run.frame(run.decodedFrames);
    }
    for (const {view} of this.views) view.render();
    requestAnimationFrame(later => this.tick(later));
  }

  private key(event: KeyboardEvent) {
    const target = event.target as HTMLElement;
    if (event.key === 'Escape') { this.closeSearch(); target.blur?.(); this.pick(null); return; }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && (target as HTMLInputElement).type !== 'range') return;
    const actions: Record<string, () => void> = {
      ' ': () => this.play(!this.playing), ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1),
      Home: () => this.setTime(this.start), End: () => this.setTime(this.end),
      '/': () => this.search.focus(),
      1: () => this.views.forEach(v => v.view.preset('iso')), 2: () => this.views.forEach(v => v.view.preset('front')),
      3: () => this.views.forEach(v => v.view.preset('side')), 4: () => this.views.forEach(v => v.view.preset('top')),
      5: () => this.views.forEach(v => v.view.preset('near')),
      ArrowUp: () => this.hurry(1), ArrowDown: () => this.hurry(-1),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  private hurry(by: number) {
    if (this.modes && this.modeRows.length) { this.showMode(this.mode - by); return; }
    const menu = this.speedMenu;
    menu.selectedIndex = Math.min(Math.max(menu.selectedIndex + by, 0), menu.options.length - 1);
    this.speed = Number(menu.value);
  }

  state(): ViewState {
    return {t: this.time, plots: this.cards.map(c => [c.names, c.derived, c.stacked, c.zoomed()] as NonNullable<ViewState['plots']>[0]).reverse(),
            camera: this.views[0]?.view.cameraState(), pick: this.selected, shown: this.shown, run: this.which,
            speed: this.speed, loop: this.loop, tab: this.tab, theme: document.documentElement.dataset.theme};
  }

  private saveSoon() {
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.saveState(), 400) as unknown as number;
  }
  private saveState() {
    if (this.stopped) return;
    try { history.replaceState(null, '', '#' + encodeURIComponent(JSON.stringify(this.state()))); } catch { /* some browsers refuse on file: */ }
  }

  /// Times of the pictures of a film.
  times({rate = 25, seconds}: Wish): number[] {
    const run = this.runs[0], {modes} = this;
    const first = run.frameTimes[0], last = modes ? run.frameTimes.at(-1)! : this.end, whole = last - first;
    const usual = modes ? 1.6 * modes.list.length : whole >= 3 && whole <= 20 ? whole : 8;
    const count = Math.max(Math.round((seconds ?? usual) * rate), 2);
    return Array.from({length: count}, (_, i) => first + whole * i / (count - 1));
  }

  private drawn(time: number, {width = 1280, height = 720, plain = false}: Wish): HTMLCanvasElement {
    const [first] = this.views;
    if (!first) throw new Error('there is no scene to draw');
    const {modes} = this;
    if (modes) this.mode = Math.min(Math.max(Math.floor(first.run.frameAt(time) / modes.frames), 0), modes.list.length - 1);
    this.setTime(time);
    const made = first.view.picture(first.run.frameAt(this.time), width, height), context = made.getContext('2d')!;
    if (!plain) {
      context.font = `${Math.max(Math.round(height / 36), 11)}px sans-serif`;
      context.fillStyle = theme().text;
      context.fillText(modes ? this.label() : `${format(this.time, 4)} s`, height / 40, height - height / 40);
    }
    return made;
  }

  picture(wish: Wish & {type?: string; quality?: number}): string {
    this.play(false);
    return this.drawn(wish.time ?? this.time, wish).toDataURL(wish.type ?? 'image/png', wish.quality);
  }

  async gif(wish: Wish): Promise<string> {
    this.play(false);
    const times = this.times(wish), {width = 1280, height = 720, rate = 25} = wish;
    const pixels = (time: number) => this.drawn(time, wish).getContext('2d')!.getImageData(0, 0, width, height).data;
    const samples = [0, 0.15, 0.3, 0.45, 0.6, 0.8, 1].map(part => pixels(times[Math.round(part * (times.length - 1))]));
    const gif = new Gif(width, height, Math.max(Math.round(100 / rate), 2), samples);
    for (const time of times) gif.add(pixels(time));
    const reader = new FileReader();
    return new Promise(done => {
      reader.onload = () => done(String(reader.result));
      reader.readAsDataURL(new Blob([gif.finish() as BlobPart]));
    });
  }

  /// What a link does not hold, when more of a run has come.
  goOnFrom(before: App) {
    if (before.playing) this.play(true);
    if (before.searching) this.search.focus();
    this.search.value = before.search.value;
    this.find();
  }
  private searching = false;

  stop() {
    this.searching = document.activeElement === this.search;
    this.stopped = true;
    for (const {view} of this.views) view.dispose();
    for (const card of this.cards) card.destroy();
  }

  /// For tests.
  get probe() {
    return {time: this.time, playing: this.playing, selected: this.selected, plots: this.cards.map(c => c.names),
            ranges: this.cards.map(c => c.range()), end: this.end, frames: this.runs[0].frameCount,
            /// How far any body goes from where it is at first [m].
            way: () => {
              const run = this.runs[0], first = run.frame(0).places;
              let most = 0;
              for (let f = 1; f < run.frameCount; ++f) run.frame(f).places.forEach((x, i) => { most = Math.max(most, Math.abs(x - first[i]) || 0); });
              return {way: most, size: Math.hypot(...[0, 1, 2].map(k => run.meta.box[k + 3] - run.meta.box[k]))};
            },
            cameras: this.views.map(({view}) => view.cameraState()),
            whereIs: (picked: Picked) => this.views[0]?.view.whereIs(picked) ?? null,
            quantum: this.runs[0].meta.quantum.place,
            events: this.runs[0].meta.events, summary: this.runs[0].meta.summary,
            reactions: this.views[0]?.view.reactions ?? [],
            /// Where a body is drawn.
            place: (name: string) => {
              const body = this.runs[0].meta.scene?.bodies.find(b => b.name === name);
              return body ? [...this.runs[0].frame(this.runs[0].frameAt(this.time)).places.slice(3 * body.mover, 3 * body.mover + 3)] : null;
            },
            value: (name: string) => { const s = this.runs[0].find(name); return s ? this.runs[0].values(s)[this.runs[0].sampleAt(this.time)] : null; }};
  }
}

interface Handle {
  probe: () => App['probe'] | null;
  times: (wish: Wish) => number[];
  picture: (wish: Wish) => string;
  gif: (wish: Wish) => Promise<string>;
}
declare global { interface Window { clatter?: Handle } }

function complain(root: HTMLElement, text: string) {
  const box = element('div', 'trouble');
  box.append(element('h1', '', 'These results cannot be shown'), element('p', '', text));
  root.replaceChildren(box);
}

function storedState(): ViewState {
  try {
    // The address first, then what `report --link` has put into the page.
    const text = location.hash.slice(1) || document.querySelector('meta[name=link]')?.getAttribute('content') || '';
    const state: unknown = JSON.parse(decodeURIComponent(text) || '{}');
    return typeof state === 'object' && state !== null ? state as ViewState : {};
  } catch { return {}; }
}

async function follow(root: HTMLElement, started: (app: App) => void) {
  let app: App | null = null, samples = -1, took = 0;   // [ms] the last picture of the run
  for (;;) {
    try {
      const state = await (await fetch('state', {cache: 'no-store'})).json() as {status: string; samples: number};
      if (state.samples !== samples && state.samples > 0) {
        const begin = performance.now();
        const answer = await fetch('run', {cache: 'no-store'});
        if (!answer.ok) throw new DataError(await answer.text());
        const run = await Run.open(new Uint8Array(await answer.arrayBuffer()));
        samples = state.samples;
        // A view at the end stays there; another stays where it is.
        const old: ViewState = app ? app.state() : storedState();
        const atEnd: boolean = app !== null && app.probe.time >= app.probe.end - 1e-12;
        const before: App | null = app;
        before?.stop();
        app = new App(root, [run], atEnd ? {...old, t: run.times.at(-1)!} : old);
        if (before) app.goOnFrom(before);
        started(app);
        took = performance.now() - begin;
      }
      if (state.status !== 'running' && app) return;
    } catch (error) {
      if (!app) complain(root, error instanceof Error ? error.message : 'The server does not answer.');
    }
    // The run itself needs the machine, too.
    await new Promise(resolve => setTimeout(resolve, Math.max(1000, 4 * took)));
  }
}

async function start() {
  const root = element('div', 'app');
  document.body.append(root);
  let app: App | null = null;
  const shown = () => { if (!app) throw new Error('the page shows no results'); return app; };
  window.clatter = {probe: () => app?.probe ?? null, times: wish => shown().times(wish), picture: wish => shown().picture(wish), gif: wish => shown().gif(wish)};
  try {
    if (document.querySelector('meta[name=results]')) { await follow(root, made => { app = made; }); return; }
    const packed = [...document.querySelectorAll('script.run')];
    if (!packed.length) throw new DataError('The page holds no results.');
    const runs: Run[] = [];
    for (const script of packed) {
      runs.push(await Run.open(fromBase64(script.textContent ?? '')));
      script.remove();
    }
    app = new App(root, runs, storedState());
  } catch (error) {
    if (!(error instanceof DataError)) console.error(error);
    complain(root, error instanceof DataError ? error.message : 'They are not as they should be, or the browser lacks what the page needs.');
  }
}

void start();
