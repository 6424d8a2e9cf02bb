// Two layouts of one tile side by side, and the elements that lie elsewhere.
import { card, facts, h } from './dom.js';
import { report } from './engine.js';
import { commandCard, layoutFacts } from './describe.js';
import { examples, option, processor, row, text, typeField, type Edited } from './form.js';
import { gridView } from './grid.js';
import { linked } from './layout_tab.js';
import type { Shown } from './page.js';
import { get } from './state.js';
import { tileOfLayout, type Tile } from './tile.js';
import { coordinatesOf, laneGrid, matrixGrid, memoryGrid, memoryOf, placesOf, type Memory } from './views.js';

export function form(edited: Edited, again: Edited): HTMLElement[] {
  const clean = { tile: '', warps: '', arch: '', type: '', at: '' };
  return [
    text('of', 'One', edited, { lines: 3, hint: 'any dialect, or an operand' }),
    text('with', 'The other', edited, { lines: 3 }),
    processor(again),
    row(text('tile', 'Tile', edited, { placeholder: '8x64' }), text('warps', 'Warps', edited, { placeholder: '1' })),
    typeField(edited, "the text's, or 16 bits"),
    examples([
      ['swizzle', { ...clean, of: 'Sw<3,3,3> o 0 o (8,64):(64,1)', with: '(8,64):(64,1)' }],
      ['WMMA A, B', { ...clean, of: 'v_wmma_f32_16x16x16_f16.A', with: 'v_wmma_f32_16x16x16_f16.B', arch: 'gfx1151' }],
      ['blocked', { ...clean, tile: '16x32', of: '#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>', with: '#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [0, 1]}>' }],
    ], again),
  ];
}

const leastCell = 6; // pixels of a cell where two grids share the width: they show colours, and a touch the words
const besideCells = 92; // pixels of a grid's row labels, padding and border

const keyOf = (tile: Tile, element: number): string => tile.offsets !== undefined ? String(tile.offsets[element])
  : tile.places[element]!.map((place) => `${place.thread}.${place.register}`).sort().join(' ');

export async function show(): Promise<Shown> {
  const options = [...option('tile', '--shape'), ...option('warps', '--warps'), ...option('arch', '--arch'), ...option('type', '--type')];
  let [one, other] = await Promise.all(['of', 'with'].map((name) => report(['layout', get(name), ...options])));
  // With a tile, CuTe's shape:stride says who holds it; beside a layout of memory it is one, too.
  const inMemory = async (layout: any, beside: any) => layout.kind === 'held' && beside.kind === 'shared' && layout.dialect === 'cute'
    ? report(['layout', layout.text, ...option('arch', '--arch'), ...option('type', '--type')]) : layout;
  [one, other] = [await inMemory(one, other), await inMemory(other, one)];
  const tiles = [tileOfLayout(one), tileOfLayout(other)] as const;
  const count = tiles[0].rows * tiles[0].columns;
  if (tiles[0].rows !== tiles[1].rows || tiles[0].columns !== tiles[1].columns)
    throw new Error(`the tiles differ: ${one.sizes.join('×')} and ${other.sizes.join('×')}; --tile gives both the same sizes where their texts leave them open`);
  if ((tiles[0].offsets === undefined) !== (tiles[1].offsets === undefined))
    throw new Error('one says who holds the tile and the other where it lies in memory: `Conflicts` shows them together');
  const marked = new Set<number>();
  for (let element = 0; element < count; ++element) if (keyOf(tiles[0], element) !== keyOf(tiles[1], element)) marked.add(element);
  const memories = tiles.map((tile, side) => tile.offsets && memoryOf([one, other][side], tile.offsets));
  // Whichever side is touched: both places, or once the one that is common.
  const words = (one: number) => {
    const [first, second] = tiles.map((tile, side) => placesOf(tile, memories[side], one).join(' · '));
    return `${coordinatesOf(tiles[0], one)} · ` + (marked.has(one) ? `One: ${first} → The other: ${second}` : `both: ${first}`);
  };
  const { link, element } = linked(tiles[0], undefined, undefined, words);
  const most = Math.max(...tiles.map((tile, side) => Math.max(tile.columns, memories[side]?.banks ?? tile.lanes)));
  const least = most > 16 && most <= 64 ? leastCell : undefined;
  const views = (which: 0 | 1, title: string) => {
    const tile = tiles[which];
    const memory: Memory | undefined = memories[which];
    const marks = { marked, least, words };
    return [gridView(matrixGrid(tile, memory, 'lane', marks, `${title}: matrix`), link),
      gridView(memory ? memoryGrid(tile, memory, 'lane', marks, `${title}: memory`) : laneGrid(tile, undefined, 'lane', marks, `${title}: lanes`), link)] as const;
  };
  const [first, below] = views(0, 'One'), [second, belowSecond] = views(1, 'The other');
  const verdict = marked.size === 0
    ? h('p', { class: 'verdict good' }, 'Both put every element in the same place.')
    : h('p', { class: 'verdict' }, `${marked.size} of ${count} elements ${marked.size === 1 ? 'lies elsewhere: the cell' : 'lie elsewhere: the cells'} with a marked corner.`);
  return {
    // Beside each other where cells of the least width fit, else one below the other.
    views: [verdict, h('div', { class: 'sides', style: `--side: ${most > 64 ? '100%' : `${most * leastCell + besideCells}px`}` }, first, second, below, belowSecond)],
    facts: [element, card('Difference', facts([['elsewhere', `${marked.size} of ${count}`], ['One', one.read_as], ['The other', other.read_as]])),
      layoutFacts(one, 'One'), layoutFacts(other, 'The other'), commandCard(['layout', get('of'), ...options], ['layout', get('with'), ...options])],
  };
}
