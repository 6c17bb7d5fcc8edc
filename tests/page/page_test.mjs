// The page of results as users meet it: opened from disk without a network, and from `clatter view`.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import http from 'node:http';
import {createRequire} from 'node:module';
import {networkInterfaces, tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {gunzipSync, gzipSync} from 'node:zlib';

const [program, source, chromiumPath] = process.argv.slice(2, 5).map(each => resolve(each));
const only = process.argv[5];   // part of the name of a test
if (!existsSync(join(source, 'viewer/node_modules/playwright-core')) || !existsSync(join(source, 'build/viewer/page.html'))) {
  console.error("The page is not built, or its npm packages are missing: './clatter test' gets them when the npm registry can be reached.");
  process.exit(1);
}
const {chromium} = createRequire(join(source, 'viewer/package.json'))('playwright-core');
// Pages and results are kept in CLATTER_PAGES_KEEP, should it be given; examples that were run there are not run again.
const kept = process.env.CLATTER_PAGES_KEEP;
if (kept) mkdirSync(kept, {recursive: true});
const folder = kept ? resolve(kept) : mkdtempSync(join(tmpdir(), 'clatter-page-'));
const path = name => join(folder, name);
const clatter = (...args) => execFileSync(program, args, {cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});

const ball = (title, name) => `title = ${JSON.stringify(title)}
gravity = [0, 0, -9.81]
[[body]]
name = ${JSON.stringify(name)}
shape = { kind = "sphere", radius = 0.1 }
density = 1000
position = [0, 0, 0.5]
velocity = [0.4, 0, 0]
[[contact]]
name = "floor"
sphere = { body = ${JSON.stringify(name)}, radius = 0.1 }
face = { point = [0, 0, 0], normal = [0, 0, 1] }
restitution = 0.7
friction = 0.3
[integrator]
step = 1e-3
duration = 1
[output]
paraview = false
`;

let browser;
/// Opens a page with the network off; whatever the console complains of fails the test.
async function open(file, expectErrors = false, more = {}) {
  const context = await browser.newContext({offline: true, viewport: {width: 1100, height: 700}, ...more});
  context.setDefaultTimeout(90000);   // drawn in software, where others work too
  const page = await context.newPage();
  page.complaints = [];
  page.on('console', message => { if (['error', 'warning'].includes(message.type()) && !/GPU stall|software/i.test(message.text())) page.complaints.push(message.text()); });
  page.on('pageerror', error => page.complaints.push(error.message));
  page.on('request', request => { if (!/^(file|blob|data):/.test(request.url())) page.complaints.push(`asks for ${request.url()}`); });
  page.on('dialog', dialog => { page.complaints.push('a script of the data ran'); void dialog.dismiss(); });
  await page.goto(`file://${file}`, {timeout: 90000});
  await page.waitForFunction(() => window.clatter?.probe() || document.querySelector('.trouble'), null, {timeout: 90000});
  if (!expectErrors) assert.equal(await page.locator('.trouble').count(), 0, await page.locator('body').innerText());
  return page;
}
const close = async page => { assert.deepEqual(page.complaints, []); await page.context().close(); };
const probe = page => page.evaluate(() => { const {whereIs, value, way, place, quantum, reactions, events, summary, cameras, ...rest} = window.clatter.probe(); return rest; });
const scrub = (page, part) => page.locator('input[aria-label=Time]').evaluate((range, where) => {
  range.value = String(Math.round(Number(range.max) * where));
  range.dispatchEvent(new Event('input'));
}, part);
const picture = async page => { await page.waitForTimeout(150); return page.locator('.scene canvas').first().screenshot(); };

async function bodiesMove(file) {
  const page = await open(file);
  assert.equal((await probe(page)).time, 0);
  await scrub(page, 0);
  // What is seen to move are bodies, not arrows.
  for (const name of ['contacts', 'forces']) await page.locator(`[data-shown=${name}]`).setChecked(false);
  const first = await picture(page);
  let differs = false;
  for (const part of [0.5, 0.25, 0.8, 1]) {
    await scrub(page, part);
    differs ||= Buffer.compare(first, await picture(page)) !== 0;
    if (differs) break;
  }
  // What stands still must stand still in the results, too: by less than a pixel.
  const {way, size} = await page.evaluate(() => window.clatter.probe().way());
  assert.ok(differs || way <= 1e-3 * size, `${file}: nothing is seen to move, but bodies go ${way} m of ${size} m`);
  await scrub(page, 0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', {name: 'Play or pause'}).click();
  await page.waitForFunction(() => window.clatter.probe().time > 0, null, {timeout: 60000});
  await page.getByRole('button', {name: 'Play or pause'}).click();
  assert.equal((await probe(page)).playing, false);
  await close(page);
}

const tests = {
  async 'examples open from disk, play and are seen to move'() {
    const some = ['002/bouncing-ball', 'contact/dice', 'beams/frame-in-flight', '000/slider-crank-and-block', 'elements/cable-atwood'];
    const all = readdirSync(join(source, 'examples'), {recursive: true}).filter(f => f.endsWith('.toml')).map(f => f.slice(0, -5));
    const wrong = [];
    for (const name of process.env.CLATTER_PAGES === 'all' ? all : some) {
      const out = name.replaceAll('/', '-');
      try {
        if (!kept || !existsSync(path(out + '/summary.json'))) {
          clatter('run', join(source, 'examples', name + '.toml'), '--quiet', '--out', out, '--set', 'output.paraview=false');
        }
        clatter('report', out, '-o', out + '.html');
        await bodiesMove(path(out + '.html'));
      } catch (error) {
        wrong.push(`${name}: ${error.stderr ?? ''}${error.message}`);
      }
    }
    assert.deepEqual(wrong, []);
  },

  async 'values at the cursor are those of the results'() {
    clatter('run', 'ball.toml', '--quiet', '--csv', '--out', 'ball');
    clatter('report', 'ball', '-o', 'ball.html');
    const [head, ...rows] = readFileSync(path('ball/results.csv'), 'utf8').split('\n').filter(line => line && !line.startsWith('#'))
        .map(line => line.split(','));
    const column = head.findIndex(name => name.replaceAll('"', '').startsWith('bodies/ball/position/z'));
    assert.ok(column > 0, head.join(' '));
    const page = await open(path('ball.html'));
    for (const part of [0, 0.3, 0.62, 1]) {
      await scrub(page, part);
      const [time, value] = await page.evaluate(() => [window.clatter.probe().time, window.clatter.probe().value('bodies/ball/position/z')]);
      const row = rows.find(each => Math.abs(Number(each[0]) - time) < 1e-9);
      // Single precision, 2^-24 of the value.
      assert.ok(Math.abs(value - Number(row[column])) <= 6e-8 * Math.abs(value), `${value} at ${time}, stored ${row[column]}`);
    }
    await close(page);
  },

  async 'bodies are drawn where they are'() {
    // One moves, one rests far from the origin: rounding must not know motion alone.
    const rests = ball('Two', 'ball') + `[[body]]
name = "rests"
mass = 1
inertia = [1, 1, 1]
position = [0, 7, 3]
orientation = { axis = [0, 0, 1], angle_deg = 30 }
[[load]]
body = "rests"
force = [0, 0, 9.81]
`;
    const alone = rests.replace('velocity = [0.4, 0, 0]', '').replace('gravity = [0, 0, -9.81]', '').replace('force = [0, 0, 9.81]', 'force = [0, 0, 0]');
    for (const [name, model] of [['two', rests], ['still', alone]]) {
      writeFileSync(path(name + '.toml'), model);
      clatter('run', name + '.toml', '--quiet', '--csv', '--out', name);
      clatter('report', name, '-o', name + '.html');
      const [head, ...rows] = readFileSync(path(name + '/results.csv'), 'utf8').split('\n').filter(line => line && !line.startsWith('#'))
          .map(line => line.replaceAll('"', '').split(','));
      const page = await open(path(name + '.html'));
      for (const part of [0, 0.37, 1]) {
        await scrub(page, part);
        for (const body of ['ball', 'rests']) {
          const {time, at, quantum} = await page.evaluate(each => { const p = window.clatter.probe(); return {time: p.time, at: p.place(each), quantum: p.quantum}; }, body);
          const row = rows.find(each => Math.abs(Number(each[0]) - time) < 1e-9);
          ['x', 'y', 'z'].forEach((axis, k) => {
            const is = Number(row[head.findIndex(each => each.startsWith(`bodies/${body}/position/${axis}`))]);
            // Half a quantum, and single precision.
            assert.ok(Math.abs(at[k] - is) <= 0.5 * quantum + 6e-8 * Math.abs(is), `${name}: ${body} ${axis} is at ${is}, drawn at ${at[k]}`);
          });
        }
      }
      await close(page);
    }
  },

  async 'arrows are whole reactions'() {
    // What rests on a slope, or on the side of a ball, is held by a force straight up: normal and friction along both
    // tangents, with their signs. What slides has friction mu N against its way.
    const normal = [0.3, -0.4, Math.sqrt(0.75)];
    writeFileSync(path('slope.toml'), `gravity = [0, 0, -9.81]
[[body]]
name = "rests"
kind = "point"
mass = 2
[[body]]
name = "slides"
kind = "point"
mass = 1
position = [4, 0, 0]
velocity = [0, 1, 0]
[[body]]
name = "leans"
mass = 3
inertia = [1, 1, 1]
position = [${[0.3, 0.4, Math.sqrt(0.75)].map((x, k) => 1.1 * x + [8, 0, 0][k])}]
[[joint]]
kind = "prismatic"
a = "ground"
b = "leans"
axis = [0, 0, 1]
point = [8.33, 0.44, 0.95]
[[contact]]
name = "slope"
point = { body = "rests" }
face = { normal = [${normal}] }
friction = 0.8
[[contact]]
name = "floor"
point = { body = "slides" }
face = { normal = [0, 0, 1] }
friction = 0.25
[[contact]]
name = "dome"
sphere = { body = "leans", radius = 0.1 }
other = { at = [8, 0, 0], radius = 1 }
friction = 10
[integrator]
step = 1e-3
duration = 0.2
[output]
paraview = false
`);
    clatter('run', 'slope.toml', '--quiet', '--out', 'slope');
    clatter('report', 'slope', '-o', 'slope.html');
    const page = await open(path('slope.html'));
    await scrub(page, 1);
    const reactions = await page.evaluate(() => Object.fromEntries(window.clatter.probe().reactions.map(each => [each.name, each])));
    const near = (name, status, force) => {
      const is = reactions[name];
      assert.equal(is.status, status, name);
      // Normals and tangents are rounded to 1/4096.
      const most = Math.hypot(...force) / 2048;
      assert.ok(force.every((x, k) => Math.abs(is.force[k] - x) < most), `${name}: ${is.force}, not ${force}`);
    };
    near('slope', 1, [0, 0, 2 * 9.81]);
    near('floor', 2, [0, -0.25 * 9.81, 9.81]);
    const dome = reactions.dome.force;
    assert.ok(Math.abs(dome[2] - 3 * 9.81) < 3 * 9.81 / 2048, `${dome}`);
    await close(page);
  },

  async 'bodies and contacts can be clicked, channels searched, plots zoomed'() {
    clatter('run', 'ball.toml', '--quiet', '--out', 'ball');
    clatter('report', 'ball', '-o', 'ball.html');
    const page = await open(path('ball.html'));
    await scrub(page, 0.286);   // just after it hits the floor: contacts far open are not drawn
    const at = what => page.evaluate(picked => window.clatter.probe().whereIs(picked), what);
    await page.mouse.click(...await at({kind: 'contact', name: 'floor'}));
    assert.deepEqual((await probe(page)).selected, {kind: 'contact', name: 'floor'});
    await page.locator('.picked').getByRole('button', {name: 'Plot contacts/floor/gap'}).click();
    assert.deepEqual((await probe(page)).plots[0], ['contacts/floor/gap']);
    await scrub(page, 0.2);
    await page.mouse.click(...await at({kind: 'body', name: 'ball'}));
    assert.deepEqual((await probe(page)).selected, {kind: 'body', name: 'ball'});

    await page.getByLabel('Search channels').fill('ball velocity z');
    await page.getByRole('button', {name: 'Plot bodies/ball/velocity/z'}).click();
    assert.deepEqual((await probe(page)).plots[0], ['bodies/ball/velocity/z']);
    const plot = await page.locator('.card .u-over').first().boundingBox();
    const [low, high] = (await probe(page)).ranges[0];
    await page.mouse.move(plot.x + 0.25 * plot.width, plot.y + 40);
    await page.mouse.down();
    await page.mouse.move(plot.x + 0.75 * plot.width, plot.y + 40, {steps: 5});
    await page.mouse.up();
    const [from, to] = (await probe(page)).ranges[0];
    assert.ok(from > low + 0.2 * (high - low) && to < high - 0.2 * (high - low), `${from} to ${to}`);
    // The wheel zooms about where it is, a drag with shift shifts.
    await page.mouse.move(plot.x + 0.5 * plot.width, plot.y + 40);
    await page.mouse.wheel(0, 100);
    await page.waitForTimeout(50);
    const wider = (await probe(page)).ranges[0];
    assert.ok(wider[0] < from && wider[1] > to, `${wider}`);
    await page.keyboard.down('Shift');
    await page.mouse.down();
    await page.mouse.move(plot.x + 0.4 * plot.width, plot.y + 40, {steps: 4});
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const shifted = (await probe(page)).ranges[0];
    const expected = 0.1 * (wider[1] - wider[0]);
    assert.ok(Math.abs(shifted[0] - wider[0] - expected) < 0.01 * expected + 1e-9, `${wider} to ${shifted}`);
    // What the address holds of a plot is its part of the axis.
    await page.waitForFunction(([low, high]) => {
      const zoom = JSON.parse(decodeURIComponent(location.hash.slice(1)) || '{}').plots?.at(-1)?.[3];
      return zoom && Math.abs(zoom[0] - low) + Math.abs(zoom[1] - high) < 1e-9;
    }, shifted);
    const zoomed = page.url();
    for (const kind of ['sum', 'norm', 'spectrum', 'none']) await page.locator('.card select').first().selectOption(kind);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    assert.ok((await probe(page)).time > 0);
    // Each kind of arrow and the shadows are to be seen.
    let seenBefore = await picture(page);
    for (const name of ['velocities', 'momenta', 'trails', 'shadows']) {
      await page.locator(`[data-shown=${name}]`).click();
      const now = await picture(page);
      if (name !== 'trails') assert.notEqual(Buffer.compare(seenBefore, now), 0, name);
      seenBefore = now;
    }
    // The address holds the view, soon after it has changed.
    await page.waitForFunction(() => JSON.parse(decodeURIComponent(location.hash.slice(1)) || '{}').t === window.clatter.probe().time);
    const address = page.url(), before = await probe(page);
    await page.goto('about:blank');
    await page.goto(address);
    await page.waitForFunction(() => window.clatter?.probe());
    const after = await probe(page);
    assert.equal(after.time, before.time);
    assert.deepEqual(after.plots, before.plots);
    await page.goto('about:blank');
    await page.goto(zoomed);
    await page.waitForFunction(wanted => window.clatter?.probe()?.ranges[0]?.[0] === wanted, shifted[0]);
    await close(page);
  },

  async 'a link holds what is shown: arrows, section, tab, speed, light'() {
    clatter('run', 'ball.toml', '--quiet', '--out', 'ball');
    clatter('report', 'ball', '-o', 'ball.html');
    let page = await open(path('ball.html'));
    await page.locator('[data-shown=velocities]').check();
    await page.getByLabel('Section').selectOption('y');
    await page.getByRole('tab', {name: 'Summary'}).click();
    await page.getByLabel('Speed').selectOption({index: 0});
    await page.getByRole('button', {name: 'Light or dark'}).click();
    await page.waitForFunction(() => JSON.parse(decodeURIComponent(location.hash.slice(1)) || '{}').theme === 'dark');
    const link = new URL(page.url()).hash;
    await close(page);
    // Into a file, which then opens like this.
    clatter('report', 'ball', '-o', 'linked.html', '--link', link);
    page = await open(path('linked.html'));
    assert.equal(await page.locator('[data-shown=velocities]').isChecked(), true);
    assert.equal(await page.getByLabel('Section').inputValue(), 'y');
    assert.equal(await page.getByRole('tab', {name: 'Summary'}).getAttribute('aria-selected'), 'true');
    assert.equal(await page.getByLabel('Speed').evaluate(menu => menu.selectedIndex), 0);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await close(page);
  },

  async 'impacts and cut steps are marked'() {
    clatter('run', 'ball.toml', '--quiet', '--out', 'cut', '--set', 'integrator.locate_impacts=true');
    clatter('report', 'cut', '-o', 'cut.html');
    const page = await open(path('cut.html'));
    const {events, summary} = await page.evaluate(() => { const {events, summary} = window.clatter.probe(); return {events, summary}; });
    const cut = events.filter(each => each[2] === 'solver/substeps').reduce((sum, each) => sum + each[1], 0);
    assert.ok(cut > 0);
    assert.equal(cut, summary.substeps);
    // 0.4 m above the floor at first.
    const [first] = events.filter(each => each[2] === 'contacts/floor');
    assert.ok(Math.abs(first[0] - Math.sqrt(2 * 0.4 / 9.81)) <= 1e-3, `${first}`);
    await page.getByRole('tab', {name: 'Impacts'}).click();
    assert.match(await page.locator('.page:not([hidden])').innerText(), /step: cut, 2 parts/);
    await close(page);
  },

  async 'nothing is told by colour alone'() {
    clatter('run', join(source, 'examples/beams/frame-in-flight.toml'), '--quiet', '--out', 'beam', '--set', 'output.paraview=false', '--set', 'integrator.duration=0.2');
    clatter('report', 'beam', '-o', 'beam.html');
    const page = await open(path('beam.html'));
    // Curves differ by dashes, layers by hatches, marks of contacts by shapes.
    await page.getByLabel('Search channels').fill('energy');
    await page.getByRole('button', {name: 'Plot all that were found'}).click();
    const keys = (title, attribute) => page.locator('.card').filter({hasText: title}).first().evaluate((card, wanted) =>
        [...card.querySelectorAll('svg.key')].map(key => [...key.querySelectorAll('path')].map(p => p.getAttribute(wanted)).join('|')), attribute);
    const dashes = await keys('energy/total', 'stroke-dasharray'), layers = await keys('Energy ledger', 'd');
    assert.ok(dashes.length >= 7);
    assert.equal(new Set(dashes.slice(0, 7)).size, 7, dashes.join());
    assert.equal(new Set(layers).size, layers.length, layers.join());
    const statuses = await page.locator('.statuses').innerText();
    assert.equal(new Set(statuses.match(/[●■◆▲]/g)).size, 4, statuses);
    // The scale of beams grows lighter along its way.
    await page.getByLabel('Colour of beams').selectOption({index: 1});
    const bar = await page.locator('.colour-scale .bar').evaluate(each => each.style.background);
    const grey = [...bar.matchAll(/rgb\((\d+), (\d+), (\d+)\)/g)].map(([, r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b);
    assert.ok(grey.length > 3 && grey.every((each, i) => i === 0 || each > grey[i - 1] + 20), bar);
    // The mouse is told what it is over, here a beam.
    const box = await page.locator('.scene canvas').boundingBox();
    let said = '';
    for (let i = 1; i < 20 && !said; ++i) for (let k = 1; k < 20 && !said; ++k) {
      await page.mouse.move(box.x + box.width * i / 20, box.y + box.height * k / 20);
      await page.evaluate(() => new Promise(requestAnimationFrame));
      said = await page.locator('.hint').evaluate(each => (each.hidden ? '' : each.textContent));
    }
    assert.match(said, /element \d+: \w+/);
    await close(page);
  },

  async 'plots and scene are saved, impacts are gone to, keys work'() {
    clatter('run', 'ball.toml', '--quiet', '--out', 'ball');
    clatter('report', 'ball', '-o', 'ball.html');
    const page = await open(path('ball.html'));
    const saved = async button => {
      const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
      return readFileSync(await download.path());
    };
    await page.getByLabel('Search channels').fill('ball position');
    await page.getByRole('button', {name: 'Plot all that were found'}).click();
    const card = page.locator('.card').first();
    const [head, ...rows] = (await saved(card.getByRole('button', {name: 'CSV'}))).toString().trim().split('\n');
    assert.equal(head, 'x,"bodies/ball/position/x","bodies/ball/position/y","bodies/ball/position/z"');
    assert.equal(rows.length, 1001);
    assert.ok(Math.abs(Number(rows[500].split(',')[1]) - 0.2) < 0.05, rows[500]);
    const svg = (await saved(card.getByRole('button', {name: 'SVG'}))).toString();
    assert.ok(await page.evaluate(text => new DOMParser().parseFromString(text, 'image/svg+xml').querySelectorAll('parsererror').length === 0, svg));
    assert.match(svg, /bodies\/ball\/position\/z/);
    for (const button of [card.getByRole('button', {name: 'PNG'}), page.getByRole('button', {name: 'Save a picture of the scene'})]) {
      assert.equal((await saved(button)).toString('latin1', 1, 4), 'PNG');
    }
    await page.getByRole('tab', {name: 'Impacts'}).click();
    await page.locator('tr.link').first().click();
    const hit = await probe(page);
    assert.ok(Math.abs(hit.time - Math.sqrt(2 * 0.4 / 9.81)) <= 1e-3 + 1e-9, `${hit.time}`);
    assert.deepEqual(hit.selected, {kind: 'contact', name: 'floor'});
    await page.locator('h1').click();
    await page.keyboard.press('Space');
    assert.equal((await probe(page)).playing, true);
    await page.keyboard.press('Space');
    await page.keyboard.press('End');
    assert.equal((await probe(page)).time, 1);
    // Who follows from near keeps what goes on in the middle.
    await page.keyboard.press('Home');
    await page.locator('[data-shown=follow]').check();
    await page.getByRole('button', {name: 'View: what there is'}).click();
    const middle = () => page.evaluate(() => window.clatter.probe().whereIs({kind: 'body', name: 'ball'}));
    const [x, y] = await middle();
    for (const part of [0.01, 0.5, 1]) {
      await scrub(page, part);
      const [nowX, nowY] = await middle();
      assert.ok(Math.hypot(nowX - x, nowY - y) < 3, `from ${x}, ${y} to ${nowX}, ${nowY}`);
    }
    await close(page);
  },

  async 'derived curves are what they say'() {
    const mass = (name, hertz, place, at) => `[[body]]
name = "${name}"
kind = "point"
mass = 1
position = [${place}, ${at}, 0]
[[spring]]
kind = "linear"
axis = [1, 0, 0]
a = { point = [0, ${at}, 0] }
b = { body = "${name}" }
rest_length = 0
stiffness = ${(2 * Math.PI * hertz) ** 2}
`;
    writeFileSync(path('swing.toml'), mass('slow', 2, 0.1, 0) + mass('fast', 3, 0.05, 1) + '[integrator]\nstep = 1e-3\nduration = 10\n[output]\nparaview = false\n');
    clatter('run', 'swing.toml', '--quiet', '--out', 'swing');
    clatter('report', 'swing', '-o', 'swing.html');
    const page = await open(path('swing.html'));
    await page.getByLabel('Search channels').fill('position/x');
    await page.getByRole('button', {name: 'Plot all that were found'}).click();
    const card = page.locator('.card').first();
    const numbers = async derived => {
      await card.locator('select').selectOption(derived);
      const [download] = await Promise.all([page.waitForEvent('download'), card.getByRole('button', {name: 'CSV'}).click()]);
      return readFileSync(await download.path(), 'utf8').trim().split('\n').slice(1).map(line => line.split(',').map(Number));
    };
    const plain = await numbers('none'), derived = {sum: (a, b) => a + b, difference: (a, b) => a - b, norm: Math.hypot};
    for (const [name, make] of Object.entries(derived)) {
      const rows = await numbers(name);
      assert.ok(rows.every(([, value], i) => Math.abs(value - make(plain[i][1], plain[i][2])) < 1e-12), name);
    }
    // Whole vibrations in the whole time: each of its own frequency with its amplitude, but for samples taken at the one before.
    const spectrum = await numbers('spectrum');
    for (const [column, hertz, amplitude] of [[1, 3, 0.05], [2, 2, 0.1]]) {
      const peak = spectrum.reduce((best, row) => (row[column] > best[column] ? row : best));
      assert.ok(Math.abs(peak[0] - hertz) < 1e-9 && Math.abs(peak[column] - amplitude) < 0.01 * amplitude, `${peak}`);
    }
    await close(page);
  },

  async 'small dark screens are used with fingers'() {
    clatter('run', 'ball.toml', '--quiet', '--out', 'ball');
    clatter('report', 'ball', '-o', 'ball.html');
    const page = await open(path('ball.html'), false, {viewport: {width: 390, height: 780}, deviceScaleFactor: 2, hasTouch: true, colorScheme: 'dark'});
    // Nothing is wider than the screen, and the canvas has all of its pixels.
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.ok(await page.evaluate(() => { const c = document.querySelector('.scene canvas'); return Math.abs(c.width - 2 * c.clientWidth) <= 2; }));
    const plot = page.locator('.card .u-over').first();
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox(), [low, high] = (await probe(page)).ranges[0];
    await page.touchscreen.tap(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
    assert.ok(Math.abs((await probe(page)).time - (low + high) / 2) < 0.02 * (high - low), 'a finger goes to a time');
    // Two fingers that part by half zoom by as much, about what is between them.
    const session = await page.context().newCDPSession(page), y = box.y + 0.5 * box.height;
    const touch = (type, ...parts) => session.send('Input.dispatchTouchEvent',
        {type, touchPoints: parts.map((part, id) => ({x: box.x + part * box.width, y, id}))});
    await touch('touchStart', 0.4, 0.6);
    await touch('touchMove', 0.35, 0.65);
    await touch('touchMove', 0.3, 0.7);
    await touch('touchEnd');
    const [from, to] = (await probe(page)).ranges[0];
    assert.ok(Math.abs((to - from) / (high - low) - 0.5) < 0.1, `${from} to ${to} of ${low} to ${high}`);
    await close(page);
  },

  async 'two runs are compared'() {
    clatter('run', 'ball.toml', '--quiet', '--out', 'one');
    clatter('run', 'ball.toml', '--quiet', '--out', 'two', '--set', 'contact.floor.restitution=0.2');
    clatter('report', 'one', 'two', '-o', 'both.html');
    const page = await open(path('both.html'));
    await page.getByLabel('Run in the scene').selectOption('-1');
    assert.equal(await page.locator('.scene canvas').count(), 2);
    // Turned together, from one place.
    const cameras = () => page.evaluate(() => window.clatter.probe().cameras);
    const at = await page.locator('.scene canvas').first().boundingBox(), [before] = await cameras();
    await page.mouse.move(at.x + 100, at.y + 300);
    await page.mouse.down();
    await page.mouse.move(at.x + 160, at.y + 270, {steps: 3});
    await page.mouse.up();
    const [one, other] = await cameras();
    assert.notDeepEqual(one, before);
    assert.deepEqual(one, other);
    await page.getByLabel('Run in the scene').selectOption('0');
    await scrub(page, 1);
    const alone = await picture(page);
    await page.getByLabel('Run in the scene').selectOption('-2');
    assert.equal(await page.locator('.scene canvas').count(), 1);
    assert.notEqual(Buffer.compare(alone, await picture(page)), 0, 'the other run is not seen');
    await page.getByLabel('Search channels').fill('ball position z');
    await page.getByRole('button', {name: 'Plot bodies/ball/position/z'}).click();
    await page.locator('.card select').first().selectOption('difference');
    await scrub(page, 1);
    const text = await page.locator('.card .legend').first().innerText();
    assert.match(text, /one − two: bodies\/ball\/position\/z/);
    assert.ok(Math.abs(parseFloat(text.split('\n').at(-1))) > 1e-4, text);
    await close(page);
  },

  async 'modes vibrate'() {
    clatter('modes', join(source, 'docs/models/cantilever.toml'), '--count', '3', '--out', 'modes');
    clatter('report', 'modes', '-o', 'modes.html');
    const page = await open(path('modes.html'));
    assert.equal(await page.locator('tr.link').count(), 3);
    await page.locator('tr.link').nth(1).click();
    assert.match(await page.locator('.time').innerText(), /mode 2 of 3: 16\.71 Hz/);
    await page.getByRole('button', {name: 'Play or pause'}).click();
    assert.equal((await probe(page)).playing, false);
    const seen = async frame => { await page.locator('input[aria-label=Time]').evaluate((range, f) => {
      range.value = String(f); range.dispatchEvent(new Event('input')); }, frame); return picture(page); };
    // At rest twice in a vibration, and to either side between; frame 24 begins the second mode.
    const [rest, one, middle, other] = [await seen(24), await seen(30), await seen(36), await seen(42)];
    assert.equal(Buffer.compare(rest, middle), 0);
    assert.notEqual(Buffer.compare(rest, one), 0);
    assert.notEqual(Buffer.compare(one, other), 0);
    await close(page);
  },

  async 'pictures are drawn without a window'() {
    clatter('run', 'ball.toml', '--quiet', '--out', 'ball');
    clatter('report', 'ball', '-o', 'ball.html', '--png', 'ball.png', '--gif', 'ball.gif', '--size', '320', '200', '--seconds', '0.5', '--rate', '10', '--time', '0.3');
    const png = readFileSync(path('ball.png')), gif = readFileSync(path('ball.gif'));
    assert.equal(png.toString('latin1', 1, 4), 'PNG');
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [320, 200]);
    assert.equal(gif.toString('latin1', 0, 6), 'GIF89a');
    assert.deepEqual([gif.readUInt16LE(6), gif.readUInt16LE(8)], [320, 200]);
    // A browser reads all five pictures, and the ball moves from the first to the last.
    const page = await open(path('ball.html'));
    const [frames, differing] = await page.evaluate(async text => {
      const data = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
      const decoder = new ImageDecoder({type: 'image/gif', data});
      await decoder.tracks.ready;
      const count = decoder.tracks.selectedTrack.frameCount;
      const pixels = async frameIndex => {
        const {image} = await decoder.decode({frameIndex}), canvas = document.createElement('canvas');
        canvas.width = image.displayWidth; canvas.height = image.displayHeight;
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, canvas.width, canvas.height).data;
      };
      const [a, b] = [await pixels(0), await pixels(count - 1)];
      return [count, a.reduce((sum, each, i) => sum + (Math.abs(each - b[i]) > 30 ? 1 : 0), 0)];
    }, gif.toString('base64'));
    await close(page);
    assert.equal(frames, 5);
    assert.ok(differing > 300, `${differing} numbers differ`);
    // A film is what ffmpeg makes of pictures, here of five of them.
    mkdirSync(path('bin'), {recursive: true});
    writeFileSync(path('bin/ffmpeg'), '#!/bin/sh\n[ "$1" = -version ] || cat > "$CLATTER_FILM"\n', {mode: 0o755});
    execFileSync(program, ['report', 'ball', '--mp4', 'ball.mp4', '--size', '320', '200', '--seconds', '0.5', '--rate', '10'],
        {cwd: folder, env: {...process.env, PATH: `${path('bin')}:${process.env.PATH}`}, stdio: 'pipe'});
    const film = readFileSync(path('ball.mp4')).toString('latin1').split('\x89PNG\r\n').slice(1);
    assert.equal(film.length, 5);
    assert.notEqual(film[0], film[4]);
    assert.throws(() => clatter('report', 'ball', '--png', 'x.png', '--link', '#<img>'), error => /this is no link/.test(String(error.stderr)));
    assert.throws(() => execFileSync(program, ['report', 'ball', '--png', 'x.png'], {cwd: folder, env: {PATH: '/nowhere'}, stdio: 'pipe'}),
        error => /needs? Chromium, which is not installed/.test(String(error.stderr)));
  },

  async 'bad data give a message and run no script'() {
    const evil = '<img src=x onerror=alert(1)></script><script>alert(2)</script>';
    writeFileSync(path('evil.toml'), ball(evil.repeat(20), 'ball'));
    clatter('run', 'evil.toml', '--quiet', '--out', 'evil');
    clatter('report', 'evil', '-o', 'evil.html');
    let page = await open(path('evil.html'));
    assert.ok((await page.locator('h1').textContent()).startsWith('<img src=x'));
    await close(page);

    const text = readFileSync(path('evil.html'), 'utf8');
    const [, data] = /class="run">([^<]*)</.exec(text);
    const packed = Buffer.from(data, 'base64'), inside = gunzipSync(packed.subarray(8));
    const repacked = bytes => Buffer.concat([Buffer.from('CLATTER1'), gzipSync(bytes)]).toString('base64');
    const withMeta = change => {
      const length = inside.readUInt32LE(0), meta = JSON.parse(inside.subarray(4, 4 + length));
      change(meta);
      const made = Buffer.from(JSON.stringify(meta)), head = Buffer.alloc(4);
      head.writeUInt32LE(made.length);
      const front = Buffer.concat([head, made]), padding = Buffer.alloc((8 - front.length % 8) % 8, 32);
      return repacked(Buffer.concat([front, padding, inside.subarray(Math.ceil((4 + length) / 8) * 8)]));
    };
    const bad = {
      empty: '', 'no base64': '!!!', 'not ours': Buffer.from('something else').toString('base64'),
      'another version': Buffer.concat([Buffer.from('CLATTER9'), packed.subarray(8)]).toString('base64'),
      'cut short': packed.subarray(0, packed.length / 2).toString('base64'), 'cut inside': repacked(inside.subarray(0, inside.length - 9)),
      'no description': repacked(Buffer.from([0xff, 0xff, 0xff, 0x7f, 1, 2])), 'another format': withMeta(m => { m.format = 1; }),
      'no frames': withMeta(m => { m.frames = []; }), 'frames beyond the end': withMeta(m => { m.frames = [1e9]; }),
      'strange channels': withMeta(m => { m.channels = [{path: 7}]; }),
    };
    for (const [name, content] of Object.entries(bad)) {
      writeFileSync(path('bad.html'), text.replace(data, content));
      page = await open(path('bad.html'), true);
      assert.equal(await page.locator('.trouble').count(), 1, name);
      assert.ok((await page.locator('.trouble p').innerText()).length > 20, name);
      await close(page);
    }
    // Not a number in a channel and in places: shown as far as it goes.
    const strange = Buffer.from(inside);
    strange.fill(0xff, strange.length - 40);
    writeFileSync(path('strange.html'), text.replace(data, repacked(strange)));
    await close(await open(path('strange.html')));
    // Markup in all names that the page shows.
    writeFileSync(path('names.html'), text.replace(data, withMeta(m => {
      m.notes = [evil]; m.model_text = evil; m.scene.bodies[0].name = evil; m.events.push([0, 1, evil]);
      for (const channel of m.channels) channel.path += evil;
    })));
    await close(await open(path('names.html')));
  },

  async 'run --view shows the run and writes its page'() {
    // No browser is found to be opened, which hinders nothing.
    const run = spawn(program, ['run', 'ball.toml', '--quiet', '--view', '--out', 'shown'],
        {cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], env: {...process.env, PATH: '/nowhere'}});
    try {
      let said = '';
      await new Promise((done, fail) => {
        run.stdout.on('data', data => { said += data; if (/127\.0\.0\.1/.test(said) && /shown\.html/.test(said)) done(); });
        run.on('exit', () => fail(new Error(`ended too early: ${said}`)));
      });
      const [, port] = /127\.0\.0\.1:(\d+)/.exec(said);
      const ask = () => new Promise(done => http.get({host: '127.0.0.1', port, path: '/'}, answer => { answer.resume(); done(answer.statusCode); }).on('error', () => done(0)));
      assert.equal(await ask(), 200);
      await close(await open(path('shown.html')));
      run.removeAllListeners('exit');
      const ended = new Promise(done => run.on('exit', done));
      run.kill('SIGINT');
      assert.equal(await ended, 0);
      for (let i = 0; i < 50 && await ask() !== 0; ++i) await new Promise(r => setTimeout(r, 100));
      assert.equal(await ask(), 0, 'the view outlives the run');
    } finally {
      run.kill('SIGKILL');
    }
  },

  async 'view follows a run in progress and serves nothing else'() {
    writeFileSync(path('long.toml'), ball('Long', 'ball').replace('duration = 1', 'duration = 1e5') .replace('paraview = false', 'paraview = false\ninterval = 0.05'));
    const run = spawn(program, ['run', 'long.toml', '--quiet', '--out', 'long'], {cwd: folder, stdio: 'ignore'});
    let view;
    try {
      for (let i = 0; i < 100 && !existsSync(path('long/results.h5')); ++i) await new Promise(r => setTimeout(r, 100));
      view = spawn(program, ['view', 'long', '--no-browser'], {cwd: folder, stdio: ['ignore', 'pipe', 'inherit']});
      const line = await new Promise(done => view.stdout.once('data', data => done(String(data))));
      const address = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(line);
      assert.ok(address, line);
      const ask = (where, headers = {}) => new Promise((done, fail) => {
        http.get({host: '127.0.0.1', port: address[1], path: where, headers}, answer => { answer.resume(); answer.on('end', () => done(answer.statusCode)); }).on('error', fail);
      });
      assert.equal(await ask('/'), 200);
      for (const where of ['/../ball.toml', '/results.h5', '/%2e%2e/ball.toml', '//etc/passwd', '/run/../../ball.toml', '/summary.json']) {
        assert.equal(await ask(where), 404, where);
      }
      assert.equal(await ask('/', {Host: 'example.org'}), 403);
      // It listens on no other address of this machine, nor of its loop.
      const elsewhere = Object.values(networkInterfaces()).flat().filter(each => each.family === 'IPv4').map(each => each.address).filter(each => each !== '127.0.0.1');
      for (const host of [...elsewhere, '127.0.0.2']) {
        const reached = await new Promise(done => http.get({host, port: address[1], path: '/', timeout: 2000}, () => done(true)).on('error', () => done(false)).on('timeout', () => done(false)));
        assert.equal(reached, false, host);
      }
      const page = await browser.newPage();
      await page.goto(address[0]);
      await page.waitForFunction(() => window.clatter?.probe(), null, {timeout: 90000});
      const end = (await probe(page)).end;
      await page.waitForFunction(last => window.clatter.probe()?.end > last, end, {timeout: 90000});
      await page.close();
    } finally {
      run.kill('SIGTERM');
      view?.kill('SIGTERM');
    }
  },
};

writeFileSync(path('ball.toml'), ball('A ball', 'ball'));
browser = await chromium.launch({executablePath: chromiumPath, args: [
  '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']});
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  if (only && !name.includes(only)) continue;
  const begin = Date.now();
  try {
    await test();
    console.log(`ok      ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${name}\n${error.stderr ?? ''}${error.stack}`);
  }
}
await browser.close();
if (!kept) rmSync(folder, {recursive: true, force: true});
process.exit(failed ? 1 : 0);
