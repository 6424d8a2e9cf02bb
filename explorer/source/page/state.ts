// What the page shows, as words in the address behind #: every link opens the same view.
import { fromWords } from './words.js';

export type Tab = 'layout' | 'banks' | 'place' | 'convert' | 'compare' | 'report';

export const tabs: readonly { tab: Tab; title: string; hint: string }[] = [
  { tab: 'layout', title: 'Layout', hint: 'What does a layout or an operand say?' },
  { tab: 'banks', title: 'Conflicts', hint: 'Does an access to shared memory have bank conflicts, and why?' },
  { tab: 'place', title: 'Placement', hint: 'Which layout in shared memory has the fewest passes?' },
  { tab: 'convert', title: 'Conversion', hint: 'How does a tile get from one layout of registers to another?' },
  { tab: 'compare', title: 'Compare', hint: 'Where do two layouts differ?' },
  { tab: 'report', title: 'Report', hint: 'What did heddle run --report json find?' },
];

export type State = Record<string, string>;

/** What a page without an address shows, for each tab. */
const first: Record<Tab, State> = {
  layout: { of: 'v_wmma_f32_16x16x16_f16.D', arch: 'gfx1151' },
  banks: {
    arch: 'gfx1151', tile: '16x64', access: 'v_wmma_f32_16x16x16_f16.A',
    memory: '(16,64):(64,1)',
  },
  place: { arch: 'gfx1151', tile: '64x32', warps: '4', load: 'v_wmma_f32_16x16x16_f16.A', store: 'rows:8' },
  convert: { arch: 'sm_90', from: 'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.D',
    to: '#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [16, 2], warpsPerCTA = [1, 1], order = [1, 0]}>',
    tile: '16x8', type: 'f32' },
  compare: { of: '#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>', with: '(8,64):(64,1)', tile: '8x64' },
  report: {},
};

export let tab: Tab = 'layout';
export let state: State = {};

export function get(name: string): string {
  return state[name] ?? '';
}

function address(): string {
  const words = new URLSearchParams(Object.entries(state).filter(([, value]) => value !== ''));
  return `#${tab}?${words}`;
}

/** Reads the address; one that says nothing of a tab shows the tab's first example. */
export function readAddress(): void {
  const [name, words] = location.hash.replace(/^#/, '').split(/\?(.*)/s);
  if (name === 'ask') {
    ({ tab, state } = fromWords(new URLSearchParams(words ?? '').getAll('w')));
    if (Object.keys(state).length === 0) state = { ...first[tab] };
    history.replaceState(null, '', address());
    return;
  }
  tab = tabs.find((one) => one.tab === name)?.tab ?? 'layout';
  state = words ? Object.fromEntries(new URLSearchParams(words)) : { ...first[tab] };
}

const lastOf = new Map<Tab, State>();

/** Another tab, with what it showed last or the given state. */
export function go(to: Tab, next?: State): void {
  lastOf.set(tab, state);
  tab = to;
  state = next ?? lastOf.get(to) ?? { ...first[to] };
  history.pushState(null, '', address());
}

/** Changes what is shown. An edit replaces the address: going back leaves the tab. */
export function change(next: State): void {
  // What is touched anew takes the place of what a command lit.
  state = { ...state, ...('at' in next ? { light: '' } : {}), ...next };
  history.replaceState(null, '', address());
}
