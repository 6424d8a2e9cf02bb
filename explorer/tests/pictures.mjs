// Pictures of the page, to look at: node tests/pictures.mjs PAGE FOLDER [NAME …]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser } from './browser.mjs';

const [page, folder, ...names] = process.argv.slice(2);
const address = pathToFileURL(resolve(page)).href;
const tabs = {
  layout: '#layout', cute: '#layout?' + new URLSearchParams({ of: 'Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)', at: '70' }),
  banks: '#banks', place: '#place', convert: '#convert', compare: '#compare', report: '#report',
  error: '#layout?' + new URLSearchParams({ of: '#ttg.blocked<{sizePerThread = [1, 1], threadPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>' }),
};
mkdirSync(folder, { recursive: true });
for (const [look, size] of Object.entries({
  light: { width: 1400, height: 1000 }, dark: { width: 1400, height: 1000, dark: true },
  phone: { width: 390, height: 844, scale: 2, touch: true }, phonedark: { width: 390, height: 844, scale: 2, touch: true, dark: true },
})) {
  const browser = await Browser.open(size);
  for (const [name, hash] of Object.entries(tabs)) {
    if (names.length > 0 && !names.includes(`${name}-${look}`)) continue;
    await browser.go(address + hash);
    await browser.until('document.body.dataset.busy === "no"');
    await new Promise((done) => setTimeout(done, 300));
    writeFileSync(join(folder, `${name}-${look}.png`), await browser.picture(look.startsWith('phone')));
  }
  if (browser.complaints.length > 0) console.log(look, browser.complaints);
  console.log(look, browser.requests.filter((one) => !one.startsWith('file:') && !one.startsWith('about:')));
  await browser.close();
}
