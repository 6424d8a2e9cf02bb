// The documents as `./dev docs` builds them, in Chromium: the search finds, the explorer draws, and nothing
// is fetched from elsewhere.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test as always } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Browser, program } from './browser.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.svg': 'image/svg+xml' };
const missing = [program, 'mkdocs'].filter((name) => spawnSync(name, ['--version']).error !== undefined);
const test = (name, work) => always(name, { skip: missing.length ? `${missing} is not installed` : false }, work);
let folder, server, browser, address;

before(async () => {
  if (missing.length) return;
  folder = mkdtempSync(join(tmpdir(), 'heddle-documents-'));
  execFileSync(join(root, 'dev'), ['docs', folder], { stdio: ['ignore', 'ignore', 'pipe'] });
  server = createServer(({ url }, answer) => {
    const path = new URL(url, address).pathname;
    try {
      const text = readFileSync(join(folder, 'site', path));
      answer.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' }).end(text);
    } catch {
      answer.writeHead(path === '/favicon.ico' ? 204 : 404).end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  address = `http://127.0.0.1:${server.address().port}`;
  browser = await Browser.open();
});

after(async () => {
  await browser?.close();
  server?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test('the search finds the page of bank conflicts', async () => {
  await browser.go(`${address}/search.html?q=bank+conflicts`);
  await browser.until('document.querySelector(\'#mkdocs-search-results a[href*="docs/banks.html"]\')', 30000);
});

test('the explorer is inside, and draws', async () => {
  await browser.go(`${address}/explorer/index.html`);
  await browser.until('document.querySelector("iframe").contentDocument.body.innerText.includes("Registers and lanes")', 30000);
});

test('nothing is fetched from elsewhere, and no page complains', async () => {
  for (const page of ['index', 'docs/index', 'docs/tutorial', 'bench/records/index']) await browser.go(`${address}/${page}.html`);
  assert.deepEqual(browser.requests.filter((each) => !each.startsWith(address) && !/^(about|blob|data):/.test(each)), []);
  assert.deepEqual(browser.complaints, []);
});
