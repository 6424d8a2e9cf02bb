// A tile as the page draws it: its elements in rows and columns, and where each of them lies.
import { report, reportIfAny } from './engine.js';

/** One place of an element in registers. */
export interface Place {
  thread: number;
  register: number;
  bit: number;
}

export interface Tile {
  rows: number;
  columns: number;
  /** What rows and columns are called: m and k, dim0 and dim1. */
  axes: readonly [string, string];
  /** By element, row after row: its places in registers; empty lists where nobody says. */
  places: Place[][];
  /** By element: where it lies in memory, in elements; none for a tile in registers. */
  offsets: Int32Array | undefined;
  /** Lanes of a warp; threads are numbered through the warps. */
  lanes: number;
  threads: number;
  registers: number;
  /** Bits of an element, where the source says. */
  bits: number | undefined;
  /** "v3" or "r3". */
  registerName: string;
  /** Rows of one block, of an operand with several. */
  blockRows?: number;
  /** Rows and columns of the whole, where this is only its beginning. */
  whole?: { rows: number; columns: number };
}

export function nameOf(tile: Tile, element: number): string {
  return `${Math.floor(element / tile.columns)},${element % tile.columns}`;
}

const dimensions = (sizes: number[]) => ({
  rows: sizes.slice(0, -1).reduce((product, size) => product * size, 1),
  columns: sizes.at(-1) ?? 1,
});

function axisNames(axes: string[]): readonly [string, string] {
  return [axes.slice(0, -1).join('·') || 'row', axes.at(-1) ?? 'column'];
}

const xor = (bases: number[][], index: number, rank: number): number[] => {
  const at = new Array<number>(rank).fill(0);
  bases.forEach((basis, bit) => {
    if ((index >> bit) & 1) basis.forEach((value, axis) => (at[axis]! ^= value));
  });
  return at;
};

const mostElements = 65536; // that a page draws quickly enough

export const isTooLarge = (layout: any): boolean => layout.sizes.reduce((product: number, size: number) => product * size, 1) > mostElements;

const cutSide = 128, cutAsked = 32; // rows and columns of what is drawn of a larger tile; rows that take a question each
const mostSteps = 1 << 22; // indices of a map that are walked through in a blink

/** The first rows and columns of a tile that is too large to be drawn; nothing where its report does not say them. */
export async function beginningOf(layout: any, words: readonly string[]): Promise<Tile | undefined> {
  const sizes: number[] = layout.sizes;
  const whole = dimensions(sizes);
  const isAsked = layout.bases === undefined;
  const rows = Math.min(whole.rows, isAsked ? cutAsked : cutSide), columns = Math.min(whole.columns, cutSide);
  const tile: Tile = {
    rows, columns, axes: axisNames(layout.axes), places: Array.from({ length: rows * columns }, () => []),
    offsets: undefined, lanes: 1, threads: 0, registers: 0, bits: undefined, registerName: 'r', whole,
  };
  if (isAsked) {
    if (sizes.length !== 2) return undefined;
    tile.offsets = new Int32Array(rows * columns);
    for (let row = 0; row < rows; ++row)
      for (const point of (await report(['layout', ...words, '--at', `${layout.axes[0]}=${row}`])).at ?? [])
        if (point[layout.axes[1]] < columns) tile.offsets[row * columns + point[layout.axes[1]]] = point.offset;
    return tile;
  }
  const element = (at: number[]) => {
    const row = at.slice(0, -1).reduce((index, value, axis) => index * sizes[axis]! + value, 0), column = at.at(-1)!;
    return row < rows && column < columns ? row * columns + column : -1;
  };
  const { offset, register = [], lane = [], warp = [], block = [] } = layout.bases as Record<string, number[][]>;
  const all = offset ?? [...register, ...lane, ...warp, ...block];
  if (2 ** all.length > mostSteps) return undefined;
  if (offset !== undefined) tile.offsets = new Int32Array(rows * columns).fill(-1);
  tile.lanes = 2 ** lane.length;
  tile.registers = offset === undefined ? 2 ** register.length : 0;
  tile.threads = offset === undefined ? 2 ** (all.length - register.length) : 0;
  for (let index = 0; index < 2 ** all.length; ++index) {
    const found = element(xor(all, index, sizes.length));
    if (found < 0) continue;
    if (tile.offsets === undefined) tile.places[found]!.push({ thread: Math.floor(index / tile.registers), register: index % tile.registers, bit: 0 });
    else if (tile.offsets[found]! < 0) tile.offsets[found] = withPadding(layout, index);
  }
  return tile;
}

/** Where an offset lies once the free places before it are counted. */
const withPadding = (layout: any, offset: number): number =>
  (layout.padding ?? []).reduce((sum: number, [every, free]: number[]) => sum + Math.floor(offset / every!) * free!, offset);

/** The elements that conditions name: "lane=5,register=2", "row=9,column=3", or by the names of the axes. A sentence
 * says which condition is none. */
export function elementsWhere(tile: Tile, conditions: string): number[] | string {
  const ofPlace: Record<string, (place: Place) => number> = {
    lane: (place) => place.thread % tile.lanes, warp: (place) => Math.floor(place.thread / tile.lanes),
    reg: (place) => place.register, register: (place) => place.register,
  };
  const blockRows = tile.blockRows ?? tile.rows;
  const ofElement: Record<string, (element: number) => number> = {
    block: (element) => Math.floor(Math.floor(element / tile.columns) / blockRows), offset: (element) => tile.offsets?.[element] ?? -1,
    row: (element) => Math.floor(element / tile.columns) % blockRows, column: (element) => element % tile.columns,
  };
  ofElement[tile.axes[0]] ??= ofElement['row']!;
  ofElement[tile.axes[1]] ??= ofElement['column']!;
  const wanted: [string, number][] = [];
  for (const part of conditions.split(',')) {
    const [, name = '', value = ''] = /^\s*(.+?)\s*=\s*(\d+)\s*$/.exec(part) ?? [];
    if (!Object.hasOwn(ofPlace, name) && !Object.hasOwn(ofElement, name)) return `'${part.trim()}' is no condition on this tile; ${[...Object.keys(ofElement), ...Object.keys(ofPlace)].join(', ')} are`;
    wanted.push([name, Number(value)]);
  }
  const elements = wanted.filter(([name]) => Object.hasOwn(ofElement, name)), places = wanted.filter(([name]) => !Object.hasOwn(ofElement, name));
  return tile.places.flatMap((held, element) =>
    elements.every(([name, value]) => ofElement[name]!(element) === value) &&
    (places.length === 0 || held.some((place) => places.every(([name, value]) => ofPlace[name]!(place) === value))) ? [element] : []);
}

/** Of a report of `heddle layout`. */
export function tileOfLayout(layout: any): Tile {
  const sizes: number[] = layout.sizes;
  const { rows, columns } = dimensions(sizes);
  const count = rows * columns;
  if (count > mostElements) throw new Error(`a tile of ${sizes.join('×')} has ${count} elements; this page draws up to ${mostElements}`);
  const tile: Tile = {
    rows, columns, axes: axisNames(layout.axes), places: Array.from({ length: count }, () => []),
    offsets: undefined, lanes: 1, threads: 0, registers: 0, bits: undefined, registerName: 'r',
  };
  if (layout.kind !== 'held') {
    if (layout.cells?.place) tile.offsets = Int32Array.from(layout.cells.place);
    return tile;
  }
  const { register, lane, warp, block } = layout.bases as Record<string, number[][]>;
  const warps = [...warp, ...block];
  tile.lanes = 2 ** lane.length;
  tile.registers = 2 ** register.length;
  tile.threads = tile.lanes * 2 ** warps.length;
  const flat = (at: number[]) => at.reduce((index, value, axis) => index * sizes[axis]! + value, 0);
  for (let thread = 0; thread < tile.threads; ++thread)
    for (let index = 0; index < tile.registers; ++index)
      tile.places[flat(xor([...register, ...lane, ...warps], index + thread * tile.registers, sizes.length))]!
        .push({ thread, register: index, bit: 0 });
  return tile;
}

/** Of one operand in a report of `heddle show`. Blocks stand one below the other. */
export function tileOfOperand(operand: any, wave: number, isAmd: boolean, axes: readonly [string, string]): Tile {
  const rows = operand.rows * operand.blocks;
  const columns: number = operand.cols;
  const copies: number[] = operand.lane_copies ?? [0];
  const places = Array.from({ length: rows * columns }, (_, index): Place[] => {
    if (operand.lane?.[index] === undefined || operand.lane[index] < 0) return [];
    return copies.map((copy) => ({
      thread: operand.lane[index] ^ copy, register: operand.reg[index], bit: operand.bit?.[index] ?? 0,
    }));
  });
  let registers = 0, threads = 0;
  for (const list of places)
    for (const place of list) {
      registers = Math.max(registers, place.register + 1);
      threads = Math.max(threads, place.thread + 1);
    }
  return {
    rows, columns, axes, places, offsets: undefined, lanes: Math.min(wave, isAmd ? 64 : 32),
    blockRows: operand.rows, threads: Math.max(threads, wave), registers, bits: operand.nbits, registerName: isAmd ? 'v' : 'r',
  };
}

/** A layout of shared memory for a tile of these sizes, and the words that ask for it. A text that has
 * its sizes is not given them again: CuTe's would then say who holds the tile. */
export async function memoryLayout(text: string, sizes: string): Promise<{ layout: any; words: string[] }> {
  const count = sizes.split('x').reduce((product, size) => product * Number(size), 1);
  const alone = await reportIfAny(['layout', text]);
  const fits = alone?.kind !== 'held' && alone?.sizes?.reduce((a: number, b: number) => a * b, 1) === count;
  const words = fits ? [text] : [text, '--shape', sizes];
  const layout = fits ? alone : await report(['layout', ...words]);
  if (layout.kind === 'held') throw new Error('this is a layout of registers; one of shared memory is wanted');
  return { layout, words };
}

/** Where the elements of `tile` lie in memory as `text` says; row after row without a text. */
export async function offsetsIn(tile: Tile, text: string): Promise<Int32Array> {
  const count = tile.rows * tile.columns;
  if (text === '') return Int32Array.from({ length: count }, (_, index) => index);
  const { offsets } = tileOfLayout((await memoryLayout(text, `${tile.rows}x${tile.columns}`)).layout);
  if (offsets?.length !== count) throw new Error(`the layout of memory has ${offsets?.length ?? 0} elements, and the tile has ${count}`);
  return offsets;
}
