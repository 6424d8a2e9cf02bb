// The way of a tile from one layout of registers and lanes to another, round by round.
import { card, code, counted, facts, h } from './dom.js';
import { report } from './engine.js';
import { commandCard } from './describe.js';
import { examples, option, processor, row, text, typeField, type Edited } from './form.js';
import { gridView } from './grid.js';
import { linked } from './layout_tab.js';
import type { Shown } from './page.js';
import { player } from './player.js';
import { change, get } from './state.js';
import { tileOfLayout, type Tile } from './tile.js';
import { cellOf, coordinatesOf, laneGrid, memoryGrid, memoryOf, memoryWords, placesOf, threadName, type Memory } from './views.js';

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

/** A map of Heddle's as its text says it: "lane: (1) (2) -> register: 8". */
interface MapText {
  /** The bases of each axis that goes in, lowest bit first: a number for each axis that comes out. */
  bases: ReadonlyMap<string, readonly number[][]>;
  outputs: readonly string[];
}

function readMap(text: string): MapText {
  const [inputs = '', outputs = ''] = text.split('->');
  return {
    bases: new Map(inputs.split(';').map((part) => {
      const [name = '', list = ''] = part.split(':');
      return [name.trim(), [...list.matchAll(/\(([\d,]+)\)/g)].map(([, basis]) => basis!.split(',').map(Number))] as const;
    })),
    outputs: [...outputs.matchAll(/(\w+):/g)].map(([, name]) => name!),
  };
}

/** The map at an index of each axis: numbers in the order of its outputs. */
function at(map: MapText, indices: Readonly<Record<string, number>>): number[] {
  const result = map.outputs.map(() => 0);
  for (const [axis, index] of Object.entries(indices))
    (map.bases.get(axis) ?? []).forEach((basis, bit) => {
      if ((index >> bit) & 1) basis.forEach((value, i) => (result[i]! ^= value));
    });
  return result;
}

interface Move {
  from: { thread: number; register: number };
  to: { thread: number; register: number };
}

/** One step of a way: the registers that it reads and those that it fills. */
interface Step {
  before: Set<number> | undefined;
  after: Set<number> | undefined;
  /** Elements that are in shared memory. */
  stored: Set<number> | undefined;
  words: string;
}

/** Where each register of the destination finds its element. */
function movesOf(source: string, from: Tile, to: Tile): Move[] {
  const map = readMap(source);
  const warpBits = map.bases.get('warp')?.length ?? 0;
  return to.places.flatMap((places) => places.map((place) => {
    const above = Math.floor(place.thread / to.lanes);
    const [register, lane, warp, block] = at(map, {
      register: place.register, lane: place.thread % to.lanes, warp: above % 2 ** warpBits, block: above >> warpBits,
    });
    return { from: { thread: lane! + from.lanes * (warp! + 2 ** warpBits * block!), register: register! }, to: place };
  }));
}

/** The numbers that xors of some of these make. */
function spanOf(numbers: readonly number[]): Set<number> {
  const span = new Set([0]);
  for (const number of numbers) if (!span.has(number)) for (const one of [...span]) span.add(one ^ number);
  return span;
}

/** What each round of an exchange moves. Registers that travel with that of a round, in its 32 bits or as copies,
 * are those that no round names and that come from the same lanes. */
function roundsOf(exchange: any, moves: readonly Move[], from: Tile, to: Tile): Step[] {
  const list: any[] = exchange.rounds;
  const after = readMap(exchange.after);
  const slotOf = ({ to: place }: Move) => place.register ^ at(after, { lane: place.thread % to.lanes })[0]!;
  const bySlot = new Map<number, Move[]>();
  for (const move of moves) {
    const slot = slotOf(move);
    bySlot.set(slot, [...(bySlot.get(slot) ?? []), move]);
  }
  const named = spanOf(list.map((round) => round.to));
  const along: number[] = [];
  for (let step = 1; step < to.registers; step *= 2)
    if (!named.has(step)) along.push(step);
  const span = [...spanOf(along)];
  return list.map((round, i) => {
    const moved = span.flatMap((step) => bySlot.get(round.to ^ step) ?? []);
    const name = (tile: Tile, place: { thread: number; register: number }) => `${threadName(tile, place.thread)} r${place.register}`;
    // The lanes from the first one on, as the first register that each of them fills.
    const seen = new Set<number>();
    const lines = moved.filter(({ to: place }) => !seen.has(place.thread) && seen.add(place.thread)).sort((a, b) => a.to.thread - b.to.thread);
    const shown = lines.slice(0, 4).map((move) => `${name(from, move.from)} → ${name(to, move.to)}`);
    return {
      before: new Set(moved.map((move) => cellOf(from, move.from.thread, move.from.register))),
      after: new Set(moved.map((move) => cellOf(to, move.to.thread, move.to.register))),
      stored: undefined,
      words: `round ${i + 1} of ${list.length}: ${counted(moved.length, 'element')}${round.stays ? ', each lane keeps its own' : ''}: ${shown.join(', ')}${lines.length > shown.length ? ', …' : ''}`,
    };
  });
}

/** Where each element lies in the buffer, and in which part it goes through it. */
function bufferOf(buffer: any, tile: Tile, sizes: readonly number[]): { offsets: Int32Array; parts: number[]; count: number } {
  const parts = readMap(buffer.parts), layout = readMap(buffer.layout);
  const bits = layout.bases.get('offset')?.length ?? 0;
  const offsetOf = new Map<number, number>();
  for (let offset = 0; offset < 2 ** bits; ++offset) {
    const [number] = at(layout, { offset });
    if (!offsetOf.has(number!)) offsetOf.set(number!, offset);
  }
  const offsets = new Int32Array(tile.rows * tile.columns), list: number[] = [];
  for (let element = 0; element < offsets.length; ++element) {
    const indices: Record<string, number> = {};
    let rest = element;
    for (let axis = sizes.length - 1; axis >= 0; --axis) {
      indices[`dim${axis}`] = rest % sizes[axis]!;
      rest = Math.floor(rest / sizes[axis]!);
    }
    const [part, number] = at(parts, indices);
    list.push(part!);
    offsets[element] = offsetOf.get(number!) ?? 0;
  }
  return { offsets, parts: list, count: Math.max(...list) + 1 };
}

/** Through shared memory: each part is stored, then loaded. */
function passagesOf(way: any, parts: readonly number[], count: number, from: Tile, to: Tile): Step[] {
  const cells = (tile: Tile, part: number) => new Set(tile.places.flatMap((places, element) =>
    parts[element] === part ? places.map((place) => cellOf(tile, place.thread, place.register)) : []));
  const instructions = (is: RegExp) => way.steps.filter((step: any) => is.test(step.instruction)).map((step: any) => `${step.count}× ${step.instruction}`).join(', ');
  const stores = instructions(/store|^st/), loads = instructions(/load|^ld/);
  const inAll = count > 1 ? ' in all' : '';
  const nobody = new Set<number>();
  return Array.from({ length: count }, (_, part): Step[] => {
    const which = count > 1 ? ` part ${part + 1} of ${count}` : ' the tile';
    const stored = new Set(parts.flatMap((one, element) => (one === part ? [element] : [])));
    return [
      { before: cells(from, part), after: nobody, stored, words: `stores${which}: ${counted(stored.size, 'element')}${stores && `; ${stores}${inAll}`}` },
      { before: nobody, after: cells(to, part), stored, words: `loads${which}: ${counted(stored.size, 'element')}${loads && `; ${loads}${inAll}`}` },
    ];
  }).flat().map((step, i) => ({ ...step, words: `step ${i + 1} of ${2 * count}: ${step.words}` }));
}

/** The way of the state: its number, or, in old links, its name. */
function chosenOf(ways: readonly any[]): any {
  const wanted = get('way');
  return (/^\d+$/.test(wanted) ? ways[Number(wanted)] : ways.find((one) => one.way === wanted)) ?? ways[0];
}

const isMemory = (way: any): boolean => way.way === 'shared memory';

/** Why the first way is chosen although another costs less, from what the answer says of both. */
function whyChosen([chosen, ...others]: readonly any[]): string {
  const cheaper = others.filter((one) => one.cost < chosen.cost).sort((a, b) => a.cost - b.cost)[0];
  if (cheaper === undefined) return '';
  if (!isMemory(chosen) && isMemory(cheaper)) return `takes no shared memory; ${cheaper.shared_bytes} bytes are taken only for less than half of the cost`;
  const saved = cheaper.shared_bytes - chosen.shared_bytes;
  return saved > 0 ? `saves ${saved} bytes of shared memory${chosen.passes <= cheaper.passes ? ' with no more passes' : ''}` : '';
}

const wayWords: Record<string, string> = {
  nothing: 'Nothing moves: both layouts hold the same elements in the same places.',
  registers: 'Every element stays in its lane; registers are renamed.',
  lanes: 'Lanes exchange registers.', 'shared memory': 'The tile goes through shared memory.',
};

/** The memory while one part is in it: the other elements lie nowhere. */
function partOf(memory: Memory, stored: ReadonlySet<number>): Memory {
  return { ...memory, only: stored };
}

export async function show(again: Edited): Promise<Shown> {
  const words = ['convert', ...option('arch', '--arch'), ...option('tile', '--tile'), ...option('warps', '--warps'), ...option('type', '--type'),
    ...option('from', '--from'), ...option('to', '--to')];
  const answer = await report(words);
  const ways: any[] = [answer.chosen, ...answer.others];
  const way = chosenOf(ways);
  const [fromLayout, toLayout] = await Promise.all([answer.from, answer.to].map((map: string) => report(['layout', map])));
  const from = tileOfLayout(fromLayout), to = tileOfLayout(toLayout);
  const buffer = way.buffer ? bufferOf(way.buffer, to, toLayout.sizes) : undefined;
  const memory: Memory | undefined = buffer && memoryOf(answer, buffer.offsets);
  const said = (one: number) => [coordinatesOf(to, one), `${placesOf(from, undefined, one).join('')} → ${placesOf(to, undefined, one).join('')}`,
    ...(memory && buffer!.count === 1 ? [memoryWords(memory, one)] : [])].join(' · ');
  const { link, element } = linked(to, undefined, undefined, said);
  const stages = h('div', { class: 'stages' });
  const draw = (step: Step | undefined) => stages.replaceChildren(...[
    gridView(laneGrid(from, undefined, 'lane', { cells: step?.before }, 'Before'), link),
    memory && step?.stored ? gridView(memoryGrid(to, partOf(memory, step.stored), 'lane', {}, 'In shared memory'), link) : null,
    gridView(laneGrid(to, undefined, 'lane', { cells: step?.after }, 'After'), link)].filter((one) => one !== null));
  const steps = way.exchange ? roundsOf(way.exchange, movesOf(answer.source, from, to), from, to)
    : buffer ? passagesOf(way, buffer.parts, buffer.count, from, to) : [];
  let walk: HTMLElement | null = null;
  if (steps.length > 0) {
    const all = way.exchange ? `all of ${steps.length} rounds` : `all of ${steps.length} steps`;
    walk = player(way.exchange ? 'round' : 'step', steps.length + 1, Number(get('round')) || 0, (step) => {
      draw(steps[step - 1]);
      if (String(step) !== (get('round') || '0')) change({ round: step === 0 ? '' : String(step) });
      return steps[step - 1]?.words ?? all;
    }).element;
  } else {
    draw(undefined);
  }
  const why = whyChosen(ways);
  return {
    views: [
      h('p', { class: 'verdict' }, wayWords[way.way] ?? way.way),
      ways.length < 2 ? null : h('div', { class: 'chips', role: 'group', 'aria-label': 'Way' }, ways.map((one, i) => h('button', {
        type: 'button', class: 'chip', 'aria-pressed': String(one === way),
        onclick: () => {
          change({ way: i === 0 ? '' : String(i), round: '' });
          again();
        },
      }, `${one.way}${isMemory(one) ? `, ${one.shared_bytes} bytes` : ''}: cost ${one.cost}${i === 0 ? `, chosen${why === '' ? '' : `: ${why}`}` : ''}`))),
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
