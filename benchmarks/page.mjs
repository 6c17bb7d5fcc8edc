// A page of a hundred thousand grains: its bytes, the time to its first picture, and pictures a second while it plays.
//
//     node benchmarks/page.mjs [PROGRAM [COUNT [CHROMIUM [RESULT]]]]
//
// runs COUNT grains (100,000) that slosh in a box, 200 frames of them, and opens their report in
// Chromium, drawn in software unless CLATTER_GPU is set. A result directory that is given is not run again. Two minutes of one
// core and 2 GB in the folder for temporary files. Needs the page and its npm packages: ./clatter report builds them.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const source = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const [program = join(source, 'build/release/bin/clatter'), count = '100000', browserPath = '/usr/bin/chromium', result] = process.argv.slice(2);
const {chromium} = createRequire(join(source, 'viewer/package.json'))('playwright-core');
const folder = mkdtempSync(join(tmpdir(), 'clatter-page-'));

const side = Math.round(Math.cbrt(Number(count))), layers = Math.round(Number(count) / side / side), spacing = 0.0225;
const law = 'friction = 0.4\nrestitution = 0.3\ncompliance = { law = "kelvin-voigt", stiffness = 4e3, tangential_stiffness = 1.2e3 }\n';
const wall = (name, point, normal) => `[[contact]]
name = "${name}"
sphere = { body = "grain" }
face = { point = [${point}], normal = [${normal}] }
${law}`;
const model = `title = "Grains slosh in a box"
gravity = [0, 0, -9.81]
[[body]]
name = "grain"
density = 2500
shape = { kind = "sphere", radius = 0.01 }
position = [0.0225, 0.0225, 0.02]
velocity = [1.5, 0.3, 0]
repeat = { count = [${side}, ${side}, ${layers}], spacing = [${spacing}, ${spacing}, ${spacing}], jitter = 1e-3 }
[[contact]]
name = "grains"
sphere = { body = "grain" }
other = { body = "grain" }
${law}${wall('floor', [0, 0, 0], [0, 0, 1])}${wall('left', [0, 0, 0], [1, 0, 0])}${wall('front', [0, 0, 0], [0, 1, 0])}
${wall('right', [1.5 * side * spacing, 0, 0], [-1, 0, 0])}${wall('back', [0, (side + 1) * spacing, 0], [0, -1, 0])}
[integrator]
name = "verlet"
step = 1e-3
duration = 0.6
[output]
interval = 0.003
paraview = false
`;

try {
  const clatter = (...args) => execFileSync(program, args, {cwd: folder, stdio: ['ignore', 'ignore', 'inherit']});
  if (!result) {
    writeFileSync(join(folder, 'grains.toml'), model);
    clatter('run', 'grains.toml', '--quiet', '--large', '--out', 'grains');
  }
  clatter('report', result ? resolve(result) : 'grains', '-o', 'grains.html');
  console.log(`page: ${(1e-6 * statSync(join(folder, 'grains.html')).size).toFixed(1)} MB`);
  const drawn = process.env.CLATTER_GPU ? [] : ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
  const browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox', ...drawn]});
  for (const [width, height] of [[1100, 700], [1920, 1080]]) {
    const page = await browser.newPage({viewport: {width, height}});
    await page.addInitScript(() => {
      const look = now => {
        if (window.clatter?.probe()) window.firstPicture ??= now;   // the picture before has been drawn
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await page.goto(`file://${join(folder, 'grains.html')}`, {timeout: 120000});
    const first = await (await page.waitForFunction(() => window.firstPicture, null, {timeout: 120000})).jsonValue();
    const play = await page.evaluate(async () => {
      document.querySelector('[aria-label^=Play]').click();
      const times = new Set(), begin = performance.now();
      let pictures = 0;
      while (performance.now() - begin < 8000) {
        await new Promise(requestAnimationFrame);
        ++pictures;
        times.add(window.clatter.probe().time);
      }
      return {pictures: 1000 * pictures / (performance.now() - begin), frames: window.clatter.probe().frames, times: times.size};
    });
    console.log(`${width} x ${height}: first picture after ${(first / 1000).toFixed(2)} s, then ${play.pictures.toFixed(1)} pictures/s (${play.frames} frames)`);
    await page.close();
  }
  await browser.close();
} finally {
  rmSync(folder, {recursive: true, force: true});
}
