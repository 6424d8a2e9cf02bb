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
    threads: Math.max(threads, wave), registers, bits: operand.nbits, registerName: isAmd ? 'v' : 'r',
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
