// Builds the page and the npm package from source/ and the engine:
//   node build.mjs ENGINE.wasm OUTPUT
// OUTPUT/index.html is the whole page; OUTPUT/npm is the package's folder.
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const [engine, output] = process.argv.slice(2).map((path) => resolve(path));
const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..');
const options = {
  absWorkingDir: here, bundle: true, format: 'esm', target: 'es2022', legalComments: 'none', logLevel: 'warning',
};

execFileSync(process.execPath, [join(here, 'node_modules/typescript/bin/tsc'), '-p', here], { stdio: 'inherit' });
mkdirSync(output, { recursive: true });

/** What the page's lists of processors say: asked once, of the engine that the page has in it. */
async function processors() {
  const { ask } = await import(pathToFileURL(join(output, 'npm/index.js')));
  return ask('list', '--count').families.flatMap(({ family, processors: names }) => names.map((name) => {
    const [first] = ask('list', '--arch', name).instructions;
    return { name, family, product: ask('info', first.name, '--arch', name).product };
  }));
}

async function page() {
  const define = { PROCESSORS: JSON.stringify(await processors()) };
  const [script, style] = await Promise.all([
    build({ ...options, entryPoints: ['source/page/page.ts'], format: 'iife', minify: true, define, write: false, charset: 'utf8' }),
    build({ ...options, entryPoints: ['page/style.css'], minify: true, write: false }),
  ]);
  const text = (result) => result.outputFiles[0].text.trim();
  // Inside of <script> and <style> only their own end would end them.
  const inline = (code, tag) => code.replaceAll(`</${tag}`, `<\\/${tag}`);
  const parts = {
    STYLE: `<style>${inline(text(style), 'style')}</style>`,
    ENGINE: `<script id="engine" type="application/gzip">${gzipSync(readFileSync(engine), { level: 9 }).toString('base64')}</script>`,
    SCRIPT: `<script>${inline(text(script), 'script')}</script>`,
  };
  const html = readFileSync(join(here, 'page/index.html'), 'utf8');
  writeFileSync(join(output, 'index.html'), html.replace(/<!--(STYLE|ENGINE|SCRIPT)-->/g, (_, name) => parts[name]));
}

async function npm() {
  const folder = join(output, 'npm');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build({ ...options, platform: 'node', entryPoints: ['source/npm/index.ts'], outfile: join(folder, 'index.js') });
  await build({
    ...options, platform: 'node', entryPoints: ['source/npm/cli.ts'], outfile: join(folder, 'cli.js'),
    banner: { js: '#!/usr/bin/env node' },
    plugins: [{
      name: 'package itself', // the engine is loaded by one of the two files alone
      setup: (bundle) => bundle.onResolve({ filter: /^\.\/index\.js$/ }, ({ path }) => ({ path, external: true })),
    }],
  });
  const types = join(output, 'types');
  execFileSync(process.execPath, [join(here, 'node_modules/typescript/bin/tsc'), '-p', here, '--noEmit', 'false',
    '--declaration', '--emitDeclarationOnly', '--outDir', types], { stdio: 'inherit' });
  const answer = readFileSync(join(types, 'engine/answer.d.ts'), 'utf8');
  const interfaces = [...answer.matchAll(/(?:\/\*\*[^/]*\*\/\n)?export interface (?:Answer|Options) \{[\s\S]*?\n\}\n/g)];
  const index = readFileSync(join(types, 'npm/index.d.ts'), 'utf8')
    .replace(/^import .*answer\.js';\n/m, '').replace(/^export type .*answer\.js';\n/m, '');
  writeFileSync(join(folder, 'index.d.ts'), interfaces.map(([text]) => text).join('') + index);
  const version = /project\(heddle VERSION ([0-9.]+)/.exec(readFileSync(join(root, 'CMakeLists.txt'), 'utf8'))[1];
  const description = JSON.parse(readFileSync(join(here, 'npm/package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...description, version }, null, 2) + '\n');
  copyFileSync(join(here, 'npm/README.md'), join(folder, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  copyFileSync(engine, join(folder, 'engine.wasm'));
}

await npm();
await page();
const kib = (file) => `${(statSync(file).size / 1024).toFixed(0)} KiB`;
console.log(`${relative('.', join(output, 'index.html'))}: ${kib(join(output, 'index.html'))}, the engine in it ${kib(engine)} unpacked`);
