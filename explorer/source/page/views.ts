// The three views of a tile: its matrix, its registers and lanes, its memory and banks.
import type { Cell, Grid } from './grid.js';
import { Link } from './grid.js';
import { nameOf, type Place, type Tile } from './tile.js';

/** Of a register of a lane, of all processors. */
const registerBits = 32;

export const threadName = (tile: Tile, thread: number): string =>
  tile.threads > tile.lanes ? `warp ${Math.floor(thread / tile.lanes)}, lane ${thread % tile.lanes}` : `lane ${thread}`;

export const placeName = (tile: Tile, place: Place): string =>
  `${threadName(tile, place.thread)}, ${tile.registerName}${place.register}` +
  (place.bit > 0 || (tile.bits !== undefined && tile.bits < registerBits && tile.registerName === 'v') ? ` bit ${place.bit}` : '');

export type Colouring = 'lane' | 'register' | 'bank';

/** Where memory is: an element's offset, and its size; and the banks that it falls on. */
export interface Memory {
  offsets: Int32Array;
  bits: number;
  banks: number;
  bankBytes: number;
  /** The elements that are in memory; all of them without. */
  only?: ReadonlySet<number>;
}

/** What a report says of memory: how wide an element is, and the banks of the processor. */
export interface InMemory {
  element_bits: number;
  banks: number;
  bank_bytes: number;
}

export const memoryOf = (said: InMemory, offsets: Int32Array): Memory =>
  ({ offsets, bits: said.element_bits, banks: said.banks, bankBytes: said.bank_bytes });

/** The word of a bank that an element begins in, counted from the first one of memory. */
export const wordOf = (memory: Memory, element: number): number => Math.floor(byteOf(memory, element) / memory.bankBytes);

export const bankOf = (memory: Memory, element: number): number => wordOf(memory, element) % memory.banks;

/** "byte 440, bank 14"; of an element that begins within a byte also its bit. */
export function memoryWords(memory: Memory, element: number): string {
  const byte = byteOf(memory, element), whole = Math.floor(byte);
  return `byte ${whole}${byte === whole ? '' : ` bit ${(byte - whole) * 8}`}, bank ${bankOf(memory, element)}`;
}

export const byteOf = (memory: Memory, element: number): number => (memory.offsets[element]! * memory.bits) / 8;

function colourOf(tile: Tile, memory: Memory | undefined, colouring: Colouring): (element: number) => number | undefined {
  return (element) => {
    const place = tile.places[element]?.[0];
    if (colouring === 'bank' && memory !== undefined) return Math.floor(bankOf(memory, element) / 4);
    if (place === undefined) return memory === undefined ? undefined : Math.floor(bankOf(memory, element) / 4);
    return colouring === 'register' ? place.register : place.thread % tile.lanes;
  };
}

/** "m 5, n 3". */
export function coordinatesOf(tile: Tile, element: number): string {
  const [row, column] = nameOf(tile, element).split(',');
  return `${tile.axes[0]} ${row}, ${tile.axes[1]} ${column}`;
}

/** Where an element lies: its registers, and its place in memory. */
export function placesOf(tile: Tile, memory: Memory | undefined, element: number): string[] {
  const words: string[] = [];
  if (tile.places[element]!.length > 0) words.push(tile.places[element]!.map((place) => placeName(tile, place)).join(' and '));
  if (memory !== undefined) words.push(memoryWords(memory, element));
  return words;
}

/** What is said of one element, wherever it stands. */
export function wordsOf(tile: Tile, memory: Memory | undefined, element: number): string {
  return [coordinatesOf(tile, element), ...placesOf(tile, memory, element)].join(' · ');
}

export interface Marks {
  /** Elements that take part in the present step; the others are faint. */
  active?: ReadonlySet<number> | undefined;
  marked?: ReadonlySet<number> | undefined;
  /** Cells of registers and lanes that take part, as `cellOf` numbers them: an element may be in others, too. */
  cells?: ReadonlySet<number> | undefined;
  /** The least width of a cell, where two grids share the width. */
  least?: number | undefined;
  /** What is said of an element where a cell's own words are not all. */
  words?: ((element: number) => string) | undefined;
}

export const cellOf = (tile: Tile, thread: number, register: number): number => thread * tile.registers + register;

export function matrixGrid(tile: Tile, memory: Memory | undefined, colouring: Colouring, marks: Marks = {}, title = 'Matrix'): Grid {
  const colour = colourOf(tile, memory, colouring);
  const severalWarps = tile.threads > tile.lanes;
  const inMatrix = severalWarps ? ['warp.lane : register', 'warp.lane', 'lane'] : ['lane : register', 'lane'];
  const textsOfPlace = ({ thread, register }: Place) => {
    const lane = String(thread % tile.lanes);
    const whole = severalWarps ? `${Math.floor(thread / tile.lanes)}.${lane}` : lane;
    return severalWarps ? [`${whole}:${register}`, whole, lane] : [`${lane}:${register}`, lane];
  };
  return {
    title, rowName: tile.axes[0], columnName: tile.axes[1], inCell: tile.threads > 0 ? inMatrix : ['offset'], least: marks.least, whole: tile.whole, rows: tile.rows, columns: tile.columns,
    rowLabel: String, columnLabel: String,
    cell(row, column): Cell {
      const element = row * tile.columns + column;
      const place = tile.places[element]![0];
      const texts = place !== undefined
        ? textsOfPlace(place)
        : tile.offsets !== undefined ? [String(tile.offsets[element])] : [''];
      return {
        elements: [element], texts, colour: colour(element), words: marks.words?.(element) ?? wordsOf(tile, memory, element),
        faint: marks.active !== undefined && !marks.active.has(element), marked: marks.marked?.has(element) ?? false,
      };
    },
  };
}

/** "5,2-3" for neighbours in a row, else the first; then the same in two lines, and the first alone. */
function textsOf(tile: Tile, elements: readonly number[]): string[] {
  if (elements.length === 0) return [''];
  const whole = namesOf(tile, elements);
  return [whole, whole.replace(',', '\n'), nameOf(tile, elements[0]!).replace(',', '\n')];
}

function namesOf(tile: Tile, elements: readonly number[]): string {
  const first = nameOf(tile, elements[0]!);
  if (elements.length === 1) return first;
  const inRow = elements.every((one, i) => one === elements[0]! + i) && elements.at(-1)! % tile.columns >= elements[0]! % tile.columns;
  return inRow ? `${first}-${elements.at(-1)! % tile.columns}` : `${first}…`;
}

/** Registers below, lanes across; of several warps one below the other. */
export function laneGrid(tile: Tile, memory: Memory | undefined, colouring: Colouring, marks: Marks = {}, title = 'Registers and lanes'): Grid {
  const warps = Math.max(1, Math.ceil(tile.threads / tile.lanes));
  const held = new Map<number, number[]>();
  tile.places.forEach((places, element) => {
    for (const place of places) {
      const key = cellOf(tile, place.thread, place.register);
      const list = held.get(key);
      if (list === undefined) held.set(key, [element]);
      else list.push(element);
    }
  });
  const bit = (element: number, thread: number, register: number) =>
    tile.places[element]!.find((place) => place.thread === thread && place.register === register)!.bit;
  const colour = colourOf(tile, memory, colouring);
  const warpOf = (row: number) => Math.floor(row / tile.registers);
  return {
    title, rowName: 'register', columnName: 'lane', inCell: [`${tile.axes[0]}, ${tile.axes[1]}`, `${tile.axes[0]} over ${tile.axes[1]}`], least: marks.least, rows: warps * tile.registers, columns: tile.lanes,
    rowLabel: (row) => (warps > 1 ? `w${warpOf(row)} ` : '') + `${tile.registerName}${row % tile.registers}`,
    columnLabel: String,
    cell(row, column): Cell {
      const thread = warpOf(row) * tile.lanes + column, register = row % tile.registers;
      const elements = (held.get(cellOf(tile, thread, register)) ?? [])
        .sort((a, b) => bit(a, thread, register) - bit(b, thread, register));
      return {
        elements, texts: textsOf(tile, elements),
        colour: elements.length === 0 ? undefined
          : colouring === 'lane' ? column : colouring === 'register' ? register : colour(elements[0]!),
        words: `${threadName(tile, thread)}, ${tile.registerName}${register}: ` +
          (elements.length === 0 ? 'nothing' : elements.map((one) => nameOf(tile, one)).join('; ')),
        faint: (marks.active !== undefined && !elements.some((one) => marks.active!.has(one))) ||
          (marks.cells !== undefined && !marks.cells.has(cellOf(tile, thread, register))),
        marked: elements.some((one) => marks.marked?.has(one)),
      };
    },
  };
}

/** Lines of memory below, banks across. */
export function memoryGrid(tile: Tile, memory: Memory, colouring: Colouring, marks: Marks = {}, title = 'Memory and banks'): Grid {
  const words = new Map<number, number[]>();
  let last = 0;
  memory.offsets.forEach((_, element) => {
    if (memory.only?.has(element) === false) return;
    const size = Math.max(1, memory.bits / (8 * memory.bankBytes));
    const begin = wordOf(memory, element);
    for (let word = begin; word < begin + size; ++word) {
      const list = words.get(word);
      if (list === undefined) words.set(word, [element]);
      else list.push(element);
      last = Math.max(last, word);
    }
  });
  for (const list of words.values()) list.sort((a, b) => memory.offsets[a]! - memory.offsets[b]!);
  const colour = colourOf(tile, memory, colouring);
  return {
    title, rowName: `byte, ${memory.banks * memory.bankBytes} in a line`, columnName: 'bank', inCell: [`${tile.axes[0]}, ${tile.axes[1]}`, `${tile.axes[0]} over ${tile.axes[1]}`],
    least: marks.least, rows: Math.floor(last / memory.banks) + 1, columns: memory.banks,
    rowLabel: (row) => String(row * memory.banks * memory.bankBytes), columnLabel: String,
    cell(row, column): Cell {
      const word = row * memory.banks + column;
      const elements = words.get(word) ?? [];
      return {
        elements, texts: textsOf(tile, elements),
        colour: elements.length === 0 ? undefined : colouring === 'bank' ? Math.floor(column / 4) : colour(elements[0]!),
        words: `bank ${column}, byte ${word * memory.bankBytes}: ` +
          (elements.length === 0 ? 'free' : elements.map((one) => nameOf(tile, one)).join('; ')),
        faint: marks.active !== undefined && !elements.some((one) => marks.active!.has(one)),
        marked: elements.some((one) => marks.marked?.has(one)),
      };
    },
  };
}

/** Lights the other elements of an element's lane. */
export function linkOf(tile: Tile, onPin: (elements: readonly number[]) => void): Link {
  const ofThread = new Map<number, Set<number>>();
  tile.places.forEach((places, element) => {
    for (const { thread } of places) {
      const set = ofThread.get(thread);
      if (set === undefined) ofThread.set(thread, new Set([element]));
      else set.add(element);
    }
  });
  const none: ReadonlySet<number> = new Set();
  return new Link((element) => {
    const place = tile.places[element]?.[0];
    return place === undefined ? none : ofThread.get(place.thread)!;
  }, onPin);
}

/** "0–3, 20–23". */
export const list = (lanes: readonly number[]): string => {
  const parts: string[] = [];
  for (let i = 0; i < lanes.length; ) {
    let end = i;
    while (lanes[end + 1] === lanes[end]! + 1) ++end;
    parts.push(end > i ? `${lanes[i]}–${lanes[end]}` : String(lanes[i]));
    i = end + 1;
  }
  return parts.join(', ');
};
