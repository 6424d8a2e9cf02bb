// The way of a tile from one layout of registers and lanes to another, round by round.
import { card, code, facts, h } from './dom.js';
import { report } from './engine.js';
import { commandCard } from './describe.js';
import { examples, option, processor, row, text, typeField, type Edited } from './form.js';
import { gridView } from './grid.js';
import { linked } from './layout_tab.js';
import type { Shown } from './page.js';
import { player } from './player.js';
import { change, get } from './state.js';
import { tileOfLayout, type Tile } from './tile.js';
import { laneGrid } from './views.js';

export function form(edited: Edited, again: Edited): HTMLElement[] {
  const clean = { tile: '', warps: '', type: '', at: '', round: '', way: '' };
  return [
    processor(again, 'arch', 'Processor', false),
    text('from', 'Who holds the tile', edited, { lines: 3, hint: 'a layout in any dialect, an operand, rows:8 or columns:8' }),
    text('to', 'Who shall hold it', edited, { lines: 3 }),
    row(text('tile', 'Tile', edited, { placeholder: '16x16' }), text('warps', 'Warps', edited, { placeholder: '1' })),
    typeField(edited),
    examples([
      ['D → A', { ...clean, arch: 'gfx1151', from: 'v_wmma_f32_16x16x16_f16.D', to: 'v_wmma_f32_16x16x16_f16.A', type: 'f16', tile: '16x16' }],
      ['D → B', { ...clean, arch: 'gfx1201', from: 'v_wmma_f32_16x16x16_f16.D', to: 'v_wmma_f32_16x16x16_f16.B' }],
      ['mma → blocked', { ...clean, arch: 'sm_90', from: 'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.D', to: '#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [16, 2], warpsPerCTA = [1, 1], order = [1, 0]}>', tile: '16x8', type: 'f32' }],
    ], again),
  ];
}

/** A map of Heddle's from named bits to numbers, applied to one index of one axis: "lane: (1) (2) -> register: 8". */
export function applied(map: string, axis: string, index: number): number {
  const bases = new RegExp(`${axis}: ([^;>]*?)(?:;| ->)`).exec(map)?.[1] ?? '';
  let result = 0;
  [...bases.matchAll(/\((\d+)/g)].forEach(([, basis], bit) => {
    if ((index >> bit) & 1) result ^= Number(basis);
  });
  return result;
}

interface Round {
  elements: Set<number>;
  words: string;
}

/** What each round of an exchange moves: the elements whose registers at the destination it fills. */
function roundsOf(exchange: any, to: Tile, bits: number): Round[] {
  const list: any[] = exchange.rounds;
  const packed = list.length > 1 ? Math.max(1, Math.min(...list.slice(1).map((round, i) => Math.abs(round.to - list[i].to)).filter((one) => one > 0))) : Math.max(1, 32 / bits);
  return list.map((round, i) => {
    const elements = new Set<number>();
    to.places.forEach((places, element) => {
      for (const place of places) {
        const slot = place.register ^ applied(exchange.after, 'lane', place.thread % to.lanes);
        if (slot >= round.to && slot < round.to + packed) elements.add(element);
      }
    });
    const what = round.stays ? 'each lane keeps its own'
      : `lane l receives from the lane that the map names, xor ${round.lane_xor}`;
    return { elements, words: `round ${i + 1} of ${list.length}: ${elements.size} elements; register ${round.from} is sent, ${round.to} is filled; ${what}` };
  });
}

const wayWords: Record<string, string> = {
  nothing: 'Nothing moves: both layouts hold the same elements in the same places.',
  registers: 'Every element stays in its lane; registers are renamed.',
  lanes: 'Lanes exchange registers.', 'shared memory': 'The tile goes through shared memory.',
};

export async function show(again: Edited): Promise<Shown> {
  const words = ['convert', ...option('arch', '--arch'), ...option('tile', '--tile'), ...option('warps', '--warps'), ...option('type', '--type'),
    ...option('from', '--from'), ...option('to', '--to')];
  const answer = await report(words);
  const ways: any[] = [answer.chosen, ...answer.others];
  const way = ways.find((one) => one.way === get('way')) ?? ways[0];
  const [from, to] = await Promise.all([answer.from, answer.to].map(async (map: string) => tileOfLayout(await report(['layout', map]))));
  const { link, element } = linked(to!, undefined);
  const stages = h('div', { class: 'stages' });
  const draw = (active: Set<number> | undefined) => stages.replaceChildren(
    gridView(laneGrid(from!, undefined, 'lane', { active }, 'Before'), link),
    gridView(laneGrid(to!, undefined, 'lane', { active }, 'After'), link));
  const rounds = way.exchange === null ? [] : roundsOf(way.exchange, to!, answer.element_bits);
  let walk: HTMLElement | null = null;
  if (rounds.length > 0) {
    const all = `all of ${rounds.length} rounds`;
    walk = player('round', rounds.length + 1, Number(get('round')) || 0, (step) => {
      draw(step === 0 ? undefined : rounds[step - 1]!.elements);
      if (String(step) !== (get('round') || '0')) change({ round: step === 0 ? '' : String(step) });
      return step === 0 ? all : rounds[step - 1]!.words;
    }).element;
  } else {
    draw(undefined);
  }
  return {
    views: [
      h('p', { class: 'verdict' }, wayWords[way.way] ?? way.way),
      ways.length < 2 ? null : h('div', { class: 'chips', role: 'group', 'aria-label': 'Way' }, ways.map((one, i) => h('button', {
        type: 'button', class: 'chip', 'aria-pressed': String(one === way),
        onclick: () => {
          change({ way: one.way, round: '' });
          again();
        },
      }, `${one.way}: cost ${one.cost}${i === 0 ? ', chosen' : ''}`))),
      walk, stages],
    facts: [element, card('The way', facts([
      ['instructions', String(way.instructions)], ['between lanes', String(way.shuffles)],
      ['passes of shared memory', String(way.passes)], ['shared memory', `${way.shared_bytes} bytes`],
      ['impossible', answer.impossible.join('; ')],
    ]), h('table', { class: 'steps' }, h('tbody', {}, way.steps.map((step: any) => h('tr', {},
      h('td', { class: 'number' }, `${step.count}×`), h('td', { class: 'mono' }, step.instruction), h('td', {}, step.why)))))),
    card('Maps', h('h3', {}, 'From'), code(answer.from, 'the layout before'), h('h3', {}, 'To'), code(answer.to, 'the layout after'),
      h('h3', {}, 'Where each register of the destination finds its element'), code(answer.source, 'the source map')),
    commandCard(words)],
  };
}
