// The page: tabs, the form on the left, views in the middle, what it is on the right.
import { announce, copyText, fill, h } from './dom.js';
import { ask, Refusal, settled } from './engine.js';
import type { Edited } from './form.js';
import * as banks from './banks_tab.js';
import * as compare from './compare_tab.js';
import * as convert from './convert_tab.js';
import * as layout from './layout_tab.js';
import * as place from './place_tab.js';
import * as reports from './report_tab.js';
import { go, readAddress, tab, tabs, type Tab } from './state.js';

/** What a tab shows for the present state. */
export interface Shown {
  views: readonly (HTMLElement | null)[];
  facts: readonly (HTMLElement | null)[];
}

interface TabPage {
  /** `edited`: the state has changed; `again`: so that the form has to be made again, too. */
  form(edited: Edited, again: Edited): HTMLElement[];
  show(again: Edited): Promise<Shown>;
}

const pages: Record<Tab, TabPage> = { layout, banks, place, convert, compare, report: reports };

const formPlace = document.getElementById('form')!;
const viewPlace = document.getElementById('views')!;
const factPlace = document.getElementById('facts')!;
const trouble = document.getElementById('trouble')!;

let asked = 0;

/** Shows the answer to the present state; of several edits the last one wins. */
async function show(): Promise<void> {
  const mine = ++asked;
  const begin = performance.now();
  document.body.dataset['busy'] = 'yes';
  try {
    const shown = await pages[tab].show(again);
    if (mine !== asked) return;
    fill(viewPlace, shown.views);
    fill(factPlace, shown.facts);
    trouble.hidden = true;
    document.body.classList.remove('stale');
  } catch (error) {
    if (mine !== asked) return;
    if (!(error instanceof Error)) throw error;
    fill(trouble, error.message.replace(/^ {2}(?=\S)/, ''));
    trouble.hidden = false;
    document.body.classList.add('stale');
    if (!(error instanceof Refusal)) console.warn(error);
  }
  // Grids draw in the next frame: an answer has been given when that has been painted.
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  if (mine !== asked) return;
  document.body.dataset['milliseconds'] = (performance.now() - begin).toFixed(1);
  await settled();
  if (mine !== asked) return;
  document.body.dataset['busy'] = 'no';
  document.body.dataset['answers'] = String(Number(document.body.dataset['answers'] ?? 0) + 1);
}

/** Makes the form anew, with the focus where it was. */
function again(): void {
  const focused = document.activeElement as HTMLInputElement | null;
  const name = focused !== null && formPlace.contains(focused) ? focused.name : '';
  makeForm();
  if (name) (formPlace.querySelector(`[name="${name}"]`) as HTMLElement | null)?.focus();
  void show();
}

function makeForm(): void {
  fill(formPlace, pages[tab].form(() => void show(), again), trouble);
  document.title = `${tabs.find((one) => one.tab === tab)!.title} · Heddle`;
}

function makeTabs(): void {
  const list = document.getElementById('tabs')!;
  fill(list, tabs.map(({ tab: one, title, hint }) => h('button', {
    role: 'tab', type: 'button', id: `tab-${one}`, title: hint, 'aria-selected': String(one === tab), 'aria-controls': 'main',
    tabindex: one === tab ? 0 : -1,
    onclick: () => open(one),
    onkeydown: (event: KeyboardEvent) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const at = tabs.findIndex((candidate) => candidate.tab === one);
      open(tabs[(at + step + tabs.length) % tabs.length]!.tab);
      document.getElementById(`tab-${tab}`)!.focus();
    },
  }, title)));
}

/** Shows another tab, with its own last state or with `next`. */
export function open(to: Tab, next?: Record<string, string>): void {
  go(to, next);
  everything();
}

function everything(): void {
  makeTabs();
  makeForm();
  fill(viewPlace);
  fill(factPlace);
  document.body.dataset['tab'] = tab;
  void show();
}

function setTheme(theme: string): void {
  document.documentElement.dataset['theme'] = theme;
  try {
    localStorage.setItem('heddle-theme', theme);
  } catch {} // a page from a file may have no storage
  const button = document.getElementById('theme')!;
  button.textContent = { auto: 'Auto', light: 'Light', dark: 'Dark' }[theme] ?? 'Auto';
  button.setAttribute('aria-label', `Colours: ${button.textContent}. Change`);
  document.dispatchEvent(new Event('themechange'));
}

function begin(): void {
  let kept = 'auto';
  try {
    kept = localStorage.getItem('heddle-theme') ?? 'auto';
  } catch {}
  setTheme(kept);
  document.getElementById('theme')!.addEventListener('click', () => {
    const order = ['auto', 'light', 'dark'];
    setTheme(order[(order.indexOf(document.documentElement.dataset['theme']!) + 1) % 3]!);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => document.dispatchEvent(new Event('themechange')));
  const share = document.getElementById('share')!;
  share.addEventListener('click', async () => {
    const done = await copyText(location.href);
    share.textContent = done ? 'Link copied' : 'Copy the address';
    announce(share.textContent);
    setTimeout(() => (share.textContent = 'Copy link'), 1500);
  });
  window.addEventListener('popstate', () => {
    readAddress();
    everything();
  });
  window.addEventListener('dragover', (event) => event.preventDefault());
  window.addEventListener('drop', async (event) => {
    event.preventDefault();
    for (const file of event.dataTransfer?.files ?? []) await take(file);
  });
  readAddress();
  everything();
  void ask(['--version']); // so that the engine is there when it is needed
}

/** Says a sentence where refusals stand, beside the form, and to who listens. */
function complain(sentence: string): void {
  fill(trouble, sentence);
  trouble.hidden = false;
  announce(sentence);
}

/** A file that was dropped: a report is shown, a file of Triton's may be named, source goes with a report. */
export async function take(file: File): Promise<void> {
  if (file.size > 64 << 20) return announce(`${file.name} is too large`);
  const content = await file.text();
  try {
    if (reports.takes(file.name, content)) return open('report');
  } catch (error) {
    return complain((error as Error).message);
  }
  layout.keepFile(file.name, content);
  announce(`${file.name} can be named now`);
  open('layout', { of: file.name });
}

begin();
