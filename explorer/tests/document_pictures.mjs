// The pictures of docs/explorer.md: node tests/document_pictures.mjs PAGE FOLDER HEDDLE
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser } from './browser.mjs';

const [page, folder, heddle] = process.argv.slice(2);
const pictures = {
  explorer_conflicts: { hash: '#banks', size: { width: 1180, height: 640, dark: true } },
  explorer_layout: {
    hash: '#layout?' + new URLSearchParams({ of: 'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.D', arch: 'sm_80', at: '43' }),
    size: { width: 1180, height: 640 },
  },
  explorer_report: {
    hash: '#report',
    size: { width: 1180, height: 640 },
    report: ['run', 'examples/program/reduce.hip', '--report', 'json'],
  },
};
for (const [name, { hash, size, report }] of Object.entries(pictures)) {
  const browser = await Browser.open({ ...size, scale: 1 });
  await browser.go(pathToFileURL(resolve(page)).href + hash);
  await browser.until('document.body.dataset.busy === "no"');
  if (report !== undefined) {
    const text = execFileSync(heddle, report, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    await browser.value(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(text)}], 'report.json'));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
    })()`);
    await browser.until('document.querySelector(".timeline") !== null');
    await browser.value('document.querySelector(".timeline").scrollIntoView({ block: "start" }); scrollBy(0, -90)');
  }
  await new Promise((done) => setTimeout(done, 300));
  const picture = await browser.picture();
  writeFileSync(join(folder, `${name}.png`), picture);
  console.log(`${name}.png: ${picture.length} bytes`);
  await browser.close();
}
