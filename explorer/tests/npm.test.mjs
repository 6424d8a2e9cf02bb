// The npm package, as `npm pack` makes it and a project installs it: the command line and the functions.
//   node --test tests/npm.test.mjs, with PACKAGE (the package's folder)
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = resolve(process.env.PACKAGE ?? join(root, 'build/explorer/npm'));
const project = mkdtempSync(join(tmpdir(), 'heddle-npm-'));
const npm = (...words) => execFileSync('npm', [...words, '--offline', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: project, encoding: 'utf8' });

before(() => {
  const [{ filename, files }] = JSON.parse(npm('pack', source, '--json'));
  assert.deepEqual(files.map(({ path }) => path).sort(), ['LICENSE', 'README.md', 'cli.js', 'engine.wasm', 'index.d.ts', 'index.js', 'package.json']);
  writeFileSync(join(project, 'package.json'), '{"name": "consumer", "type": "module"}');
  npm('install', `./${filename}`);
});
after(() => rmSync(project, { recursive: true, force: true }));

const heddle = (words, options = {}) => spawnSync('npx', ['--no-install', 'heddle', ...words], { cwd: project, encoding: 'utf8', ...options });

test('npx heddle answers', () => {
  const { status, stdout, stderr } = heddle(['show', 'v_wmma_f32_16x16x16_f16']);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^v_wmma_f32_16x16x16_f16 on gfx1151, wave32/);
});

test('a refusal has status 2 and a sentence', () => {
  const { status, stderr, stdout } = heddle(['show', 'v_wmma_f32_16x16x16_f17']);
  assert.equal(status, 2);
  assert.match(stderr, /no instruction/);
  assert.equal(stdout, '');
});

test('run and compile say in one sentence that they need the native program', () => {
  for (const words of [['run', 'a.hip'], ['compile', 'a.mlir']]) {
    const { status, stderr, stdout } = heddle(words);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, new RegExp(`^\`heddle ${words[0]}\` needs the native program[^\n]*\n$`));
  }
  assert.match(JSON.parse(heddle(['run', 'a.hip', '--report', 'json']).stdout).error, /needs the native program/);
  assert.match(heddle(['run', '--help']).stdout, /Usage: heddle run/);
});

test('a word - reads standard input', () => {
  const { status, stdout, stderr } = heddle(['layout', '-'], { input: '(8,8):(8,1)\n' });
  assert.equal(status, 0, stderr);
  assert.equal(stdout, heddle(['layout', '(8,8):(8,1)']).stdout);
  assert.match(heddle(['layout', '-'], { input: '' }).stderr, /empty/);
  const long = `${' '.repeat(60000)}(8,8):(8,1)`; // more than one read gets
  assert.equal(heddle(['layout', '-'], { input: long }).status, 0);
});

test('files are read: relative, absolute and missing ones, folders', () => {
  const file = readFileSync(join(root, 'tests/data/triton_matmul_gfx1201.ttgir'));
  writeFileSync(join(project, 'a.ttgir'), file);
  for (const name of ['a.ttgir', './a.ttgir', join(project, 'a.ttgir')]) {
    const { status, stdout, stderr } = heddle(['layout', `${name}:blocked`, '--shape', '64x32']);
    assert.equal(status, 0, stderr);
    assert.ok(stdout.includes('who holds a tile of 64x32'), stdout.slice(0, 300));
  }
  assert.match(heddle(['layout', 'b.ttgir']).stderr, /cannot read 'b.ttgir': No such file or directory/);
  assert.match(heddle(['layout', `${project}/b.ttgir`]).stderr, /No such file or directory/);
});

test('output that cannot be written is an error', () => {
  const { status, stderr } = spawnSync('sh', ['-c', 'npx --no-install heddle list > /dev/full'], { cwd: project, encoding: 'utf8' });
  assert.equal(status, 2);
  assert.match(stderr, /No space left on device/);
});

test('the functions, as a module imports them', () => {
  writeFileSync(join(project, 'use.mjs'), `
    import { ask, heddle } from 'heddle';
    const { found } = ask('get', 'v_wmma_f32_16x16x16_f16', '--operand', 'D', '--at', '5,3');
    const text = heddle(['layout', 'a.ttgir:x'], { files: { 'a.ttgir': '#x = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>\\n' } });
    let refused = '';
    try { ask('list', '--arch', 'gfx9999'); } catch (error) { refused = error.message; }
    const said = (...words) => { try { ask(...words); return ''; } catch (error) { return error.message; } };
    const words = { run: said('run', 'a.hip'), number: said('layout', 5), list: said('layout', [5]), none: said('layout', undefined),
      same: ask('list', '--arch', 'gfx1151').instructions.length, at: ask('get', 'v_wmma_f32_16x16x16_f16', '--operand', 'D', '--at', '5,3', '--wave', 32).found[0].lane,
      input: heddle(['layout', '-'], { input: '(8,8):(8,1)' }).status, never: heddle([{}]) };
    console.log(JSON.stringify({ words, lane: found[0].lane, status: heddle(['--version']).status, text, refused }));
  `);
  const said = JSON.parse(execFileSync('node', ['use.mjs'], { cwd: project, encoding: 'utf8' }));
  assert.equal(said.lane, 19);
  assert.equal(said.status, 0);
  assert.match(said.refused, /no target 'gfx9999'/);
  assert.doesNotMatch(said.text.error, /cannot read/);
  assert.match(said.words.run, /^`heddle run` needs the native program/);
  assert.match(said.words.number, /expected ':' between shape and strides/);
  assert.match(said.words.list, /strings and numbers, and word 2 is an array/);
  assert.match(said.words.none, /word 2 is undefined/);
  assert.equal(said.words.at, 19);
  assert.equal(said.words.input, 0);
  assert.deepEqual([said.words.never.status, /word 1 is an object/.test(said.words.never.error)], [2, true]);
});

test('the lock of the page names no registry', () => {
  assert.doesNotMatch(readFileSync(join(root, 'explorer/package-lock.json'), 'utf8'), /"resolved": "(?!file:)/);
});
