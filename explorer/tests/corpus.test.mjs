// The engine answers as the native program does, byte for byte: status, standard output and standard
// error of every command line in the tests of the program (tests/tool) that needs no LLVM.
//   node --test tests/corpus.test.mjs, with HEDDLE (the program) and PACKAGE (the npm package's folder)
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = resolve(process.env.HEDDLE ?? join(root, 'build/bin/heddle'));
const { heddle } = await import(pathToFileURL(join(process.env.PACKAGE ?? join(root, 'build/explorer/npm'), 'index.js')));
const folder = join(root, 'tests/tool');
const needsMore = new Set(['run', 'compile']);

/** Splits a shell line; a bare operator such as | or > is its own word, an object with `operator`. */
function shellWords(line) {
  const words = [];
  for (const [, quoted] of line.matchAll(/\s*((?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\|<>&;()])+|[|<>&;()]+)/g)) {
    if (/^[|<>&;()]+$/.test(quoted)) words.push({ operator: quoted });
    else
      words.push(quoted.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g,
        (_, single, double, escaped) => single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped));
  }
  return words;
}

/** Every call of the program in the RUN lines of a file, as its words. */
function* calls(file) {
  const text = readFileSync(file, 'utf8');
  const lines = [...text.matchAll(/RUN: (.*)/g)].map(([, line]) => line).join('\n').replace(/\\\n/g, ' ').split('\n');
  const substitutes = { '%examples': join(root, 'examples'), '%S': folder, '%s': file };
  for (const line of lines) {
    const words = shellWords(line);
    for (let i = 0; i < words.length; ++i) {
      const starts = words[i] === '%heddle' && (i === 0 || words[i - 1].operator || words[i - 2] === '%exits' || words[i - 1] === 'not');
      if (!starts) continue;
      let end = i + 1;
      while (end < words.length && !words[end].operator) ++end;
      // `2>` and `2>&1` belong to the redirection.
      const isRedirected = words[end]?.operator?.startsWith('>') && /^\d$/.test(words[end - 1]);
      yield words.slice(i + 1, isRedirected ? end - 1 : end)
        .map((word) => word.replace(/%examples|%S|%s/g, (name) => substitutes[name]));
    }
  }
}

const all = [];
for (const name of readdirSync(folder))
  if (name.endsWith('.txt') && name !== 'CMakeLists.txt')
    for (const words of calls(join(folder, name)))
      if (!needsMore.has(words[0]) && !words.some((word) => /%[a-z]/.test(word))) all.push({ name, words });

test(`the answers to ${all.length} command lines of tests/tool`, () => {
  assert.ok(all.length > 250, `only ${all.length} command lines found in ${folder}`);
  const elsewhere = mkdtempSync(join(tmpdir(), 'heddle-corpus-'));
  const wrong = [];
  for (const { name, words } of all) {
    const files = {};
    for (const word of words)
      for (const [path] of word.matchAll(/\/[^:\s]*\.(?:ttg?ir|mlir|txt)/g))
        try {
          files[path] = readFileSync(path);
        } catch {}  // a file that is missing is missing for both
    const native = spawnSync(program, words, { cwd: elsewhere, maxBuffer: 1 << 28, env: {} });
    const expected = { status: native.status, output: native.stdout.toString(), error: native.stderr.toString() };
    const got = heddle(words, { files });
    for (const key of Object.keys(expected))
      if (got[key] !== expected[key]) {
        const at = [...String(expected[key])].findIndex((c, i) => c !== String(got[key])[i]);
        const part = (text) => JSON.stringify(String(text).slice(Math.max(0, at - 40), at + 80));
        wrong.push(`${name}: heddle ${words.join(' ').slice(0, 300)}\n  ${key} should be ${part(expected[key])}\n  but is         ${part(got[key])}`);
      }
  }
  assert.equal(wrong.length, 0, `${wrong.length} differ\n${wrong.slice(0, 20).join('\n')}`);
});
