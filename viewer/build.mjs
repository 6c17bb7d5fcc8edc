// Builds the page: one file with script and style in it, and a policy that lets nothing else run.
import {createHash} from 'node:crypto';
import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, '../build/viewer/page.html');
const largest = 700_000;  // bytes

const {outputFiles} = await build({
  entryPoints: [join(here, 'src/main.ts')],
  bundle: true, minify: true, write: false, outdir: 'out', format: 'iife', target: 'es2022',
  legalComments: 'none', charset: 'ascii', logLevel: 'warning',
});
const part = ending => outputFiles.find(file => file.path.endsWith(ending))?.text.trim() ?? '';
// Inside a script element only these end or hide it.
const script = part('.js').replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const style = part('.css');
const hash = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = [
  "default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(style)}`, "img-src data: blob:",
  "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
].join('; ');
const page = (await readFile(join(here, 'src/page.html'), 'utf8'))
    .replace('POLICY', () => policy).replace('STYLE', () => style).replace('SCRIPT', () => script);
if (page.length > largest) throw new Error(`the page has ${page.length} bytes, more than ${largest}`);
await mkdir(dirname(out), {recursive: true});
await writeFile(out, page);
console.log(`${out}: ${page.length} bytes`);
