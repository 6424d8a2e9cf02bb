// A grid of cells on a canvas, in which elements of a tile stand. All grids of a page share a Link: what
// is touched in one lights up in all of them.
import { announce, h } from './dom.js';

/** What a grid shows in one cell. */
export interface Cell {
  /** Elements of the tile; none in a cell that is free. */
  elements: readonly number[];
  /** Texts, the longest first: the first that fits everywhere is written. One may have two lines. */
  texts: readonly string[];
  /** A colour of the palette; none is the ground. */
  colour?: number | undefined;
  /** Marked with a corner: something differs or collides here. */
  marked?: boolean;
  /** Drawn faintly: not part of the present step. */
  faint?: boolean;
  /** Said to who listens, besides the elements. */
  words: string;
}

export interface Grid {
  title: string;
  /** What the rows and the columns are. */
  rowName: string;
  columnName: string;
  /** What each of the texts of a cell is. */
  inCell: readonly string[];
  rows: number;
  columns: number;
  rowLabel(row: number): string;
  columnLabel(column: number): string;
  /** Rows and columns of the whole, where the grid has only its beginning. */
  whole?: { rows: number; columns: number } | undefined;
  /** The least width of a cell; the usual one without. */
  least?: number | undefined;
  cell(row: number, column: number): Cell;
}

/** What is lit: elements, and those that belong with them. */
export class Link {
  pinned: readonly number[] = [];
  private hovered: readonly number[] = [];
  private readonly listeners: ((elements: readonly number[]) => void)[] = [];

  constructor(
    /** Others that light faintly with an element: those of its lane. */
    readonly related: (element: number) => ReadonlySet<number>,
    readonly onPin: (elements: readonly number[]) => void,
  ) {}

  get elements(): readonly number[] {
    return this.hovered.length > 0 ? this.hovered : this.pinned;
  }
  listen(listener: (elements: readonly number[]) => void): void {
    this.listeners.push(listener);
  }
  hover(elements: readonly number[]): void {
    if (elements.length === this.hovered.length && elements.every((one, i) => one === this.hovered[i])) return;
    this.hovered = elements;
    this.tell();
  }
  pin(elements: readonly number[]): void {
    const same = elements.length === this.pinned.length && elements.every((one, i) => one === this.pinned[i]);
    this.pinned = same ? [] : elements;
    this.onPin(this.pinned);
    this.tell();
  }
  tell(): void {
    for (const listener of this.listeners) listener(this.elements);
  }
}

// Okabe and Ito's colours, which colour-blind people tell apart.
const palette = [[86, 180, 233], [230, 159, 0], [0, 158, 115], [204, 121, 167], [240, 228, 66], [0, 114, 178], [213, 94, 0], [150, 150, 150]];
const steps = { light: [0.3, 0.5, 0.7, 0.16], dark: [0.3, 0.42, 0.54, 0.18] };

export function isDark(): boolean {
  return getComputedStyle(document.documentElement).colorScheme.includes('dark');
}

function paint(colour: number, ground: number[], dark: boolean): string {
  const hue = palette[colour % palette.length]!;
  const part = steps[dark ? 'dark' : 'light'][Math.floor(colour / palette.length) % 4]!;
  return `rgb(${hue.map((value, i) => Math.round(value * part + ground[i]! * (1 - part))).join(' ')})`;
}

interface Colours {
  ink: string;
  muted: string;
  line: string;
  surface: string;
  accent: string;
}
let theme: Colours | undefined; // asking the style is slow after each change of the page

function colours(): Colours {
  if (theme === undefined) {
    const style = getComputedStyle(document.documentElement);
    const value = (name: string) => style.getPropertyValue(name).trim();
    theme = { ink: value('--ink'), muted: value('--muted'), line: value('--line'), surface: value('--surface'), accent: value('--accent') };
  }
  return theme;
}
document.addEventListener('themechange', () => (theme = undefined), true);

const largestSide = 128;

const textOf = (cell: Cell, form: number): string => cell.texts[form] ?? cell.texts.at(-1) ?? '';

/** Letters of the longest line of any cell, for each form of the texts. */
function longestLines(cells: readonly Cell[]): number[] {
  const most: number[] = [];
  for (const { texts } of cells)
    texts.forEach((text, form) => {
      const line = text.indexOf('\n');
      const letters = line < 0 ? text.length : Math.max(line, text.length - line - 1);
      if (letters > (most[form] ?? 0) || most[form] === undefined) most[form] = letters;
    });
  return most;
}

export function gridView(grid: Grid, link: Link): HTMLElement {
  const rows = Math.min(grid.rows, largestSide), columns = Math.min(grid.columns, largestSide);
  const cells: Cell[] = [];
  const cellsOf = new Map<number, number[]>();
  for (let row = 0; row < rows; ++row)
    for (let column = 0; column < columns; ++column) {
      const cell = grid.cell(row, column);
      for (const element of cell.elements) {
        const list = cellsOf.get(element);
        if (list === undefined) cellsOf.set(element, [cells.length]);
        else list.push(cells.length);
      }
      cells.push(cell);
    }

  const longest = longestLines(cells);
  let longestLabel = 0;
  for (let row = 0; row < rows; ++row) longestLabel = Math.max(longestLabel, grid.rowLabel(row).length);

  // The cells lie below; what is lit and touched is on a canvas of its own above them.
  const base = h('canvas', { 'aria-hidden': 'true' }) as HTMLCanvasElement;
  const canvas = h('canvas', {
    class: 'lit', tabindex: 0, role: 'application',
    'aria-label': `${grid.title}: ${grid.rows} rows (${grid.rowName}) of ${grid.columns} (${grid.columnName}). Arrow keys move, Enter keeps, Escape lets go.`,
  }) as HTMLCanvasElement;
  const box = h('div', { class: 'grid-box' }, h('div', { class: 'layers' }, base, canvas));
  const legend = h('span');
  const whole = grid.whole ?? grid;
  const cut = whole.rows > rows || whole.columns > columns;
  const figure = h('figure', { class: 'grid', 'data-grid': grid.title },
    h('figcaption', {}, h('strong', {}, grid.title),
      h('span', { class: 'muted' }, `${grid.rowName} ↓  ${grid.columnName} →`, legend, cut ? `, the first ${rows}×${columns} of ${whole.rows}×${whole.columns}` : '')),
    box);

  let cellWidth = 0, cellHeight = 0, left = 0, top = 0, ratio = 1;
  let current = -1;
  const small = '500 10px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace';
  const glyph = 6.1; // of that font

  function measure(): void {
    left = longestLabel * glyph + 10;
    top = 16;
    const available = Math.max(200, box.clientWidth) - left - 2;
    const widths = longest.map((letters) => letters * glyph + 3);
    const natural = (widths[0] ?? 16) + 3;
    const fitting = Math.floor(available / columns);
    const least = window.matchMedia('(pointer: coarse)').matches ? 18 : grid.least ?? 9;
    cellWidth = Math.max(least, Math.min(fitting, Math.max(natural, 22), 64));
    const form = widths.findIndex((width) => width <= cellWidth);
    textForm = form;
    legend.textContent = form < 0 ? '' : `  in a cell: ${grid.inCell[form] ?? grid.inCell.at(-1)}`;
    const isTall = form >= 0 && cells.some((cell) => textOf(cell, form).includes('\n'));
    cellHeight = isTall ? 27 : form >= 0 ? 18 : Math.min(17, Math.max(cellWidth, 11));
    ratio = window.devicePixelRatio || 1;
    const width = Math.ceil(left + columns * cellWidth + 2), height = Math.ceil(top + rows * cellHeight + 2);
    for (const one of [canvas, base]) {
      one.width = width * ratio;
      one.height = height * ratio;
      one.style.width = `${width}px`;
      one.style.height = `${height}px`;
    }
    canvas.dataset['cells'] = [left, top, cellWidth, cellHeight].join(' ');
  }
  let textForm = -1;

  function drawCell(pen: CanvasRenderingContext2D, index: number, fill: string | undefined, ink: string): void {
    const cell = cells[index]!;
    const x = left + (index % columns) * cellWidth, y = top + Math.floor(index / columns) * cellHeight;
    if (fill !== undefined) {
      pen.fillStyle = fill;
      pen.fillRect(x, y, cellWidth - 1, cellHeight - 1);
    }
    if (cell.marked) {
      const side = Math.min(7, cellWidth / 2, cellHeight / 2);
      pen.fillStyle = ink;
      pen.beginPath();
      pen.moveTo(x + cellWidth - 1 - side, y);
      pen.lineTo(x + cellWidth - 1, y);
      pen.lineTo(x + cellWidth - 1, y + side);
      pen.fill();
    }
    if (textForm >= 0) {
      pen.fillStyle = ink;
      const text = textOf(cell, textForm);
      const middle = x + (cellWidth - 1) / 2, line = text.indexOf('\n');
      if (text === '') return;
      if (line < 0) {
        pen.fillText(text, middle, y + cellHeight / 2);
      } else {
        pen.fillText(text.slice(0, line), middle, y + cellHeight / 2 - 5.5);
        pen.fillText(text.slice(line + 1), middle, y + cellHeight / 2 + 5.5);
      }
    }
  }

  function setFont(pen: CanvasRenderingContext2D): void {
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = small;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
  }

  function drawBase(): void {
    measure();
    const pen = base.getContext('2d')!;
    const { ink, muted, line, surface } = colours();
    const dark = isDark();
    const ground = /^#/.test(surface) ? [1, 3, 5].map((at) => parseInt(surface.slice(at, at + 2), 16)) : [255, 255, 255];
    setFont(pen);
    pen.clearRect(0, 0, base.width, base.height);
    const painted = new Map<number, string>();
    cells.forEach((cell, index) => {
      let fill = line;
      if (cell.colour !== undefined && !cell.faint) {
        if (!painted.has(cell.colour)) painted.set(cell.colour, paint(cell.colour, ground, dark));
        fill = painted.get(cell.colour)!;
      }
      pen.globalAlpha = cell.faint || (cell.elements.length === 0 && cell.colour === undefined) ? 0.4 : 1;
      drawCell(pen, index, fill, ink);
      pen.globalAlpha = 1;
    });
    pen.fillStyle = muted;
        const every = Math.max(1, Math.ceil((grid.columnLabel(columns - 1).length * glyph + 3) / cellWidth));
    const step = 2 ** Math.ceil(Math.log2(every));
    for (let column = 0; column < columns; column += step)
      pen.fillText(grid.columnLabel(column), left + (column + 0.5) * cellWidth, top / 2);
    pen.textAlign = 'right';
    const everyRow = cellHeight < 11 ? 2 : 1;
    for (let row = 0; row < rows; row += everyRow)
      pen.fillText(grid.rowLabel(row), left - 6, top + (row + 0.5) * cellHeight);
    drawLit();
  }

  function drawLit(): void {
    const pen = canvas.getContext('2d')!;
    const { ink, surface, accent } = colours();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    setFont(pen);
    const frame = (index: number, width: number, inset: number) => {
      pen.lineWidth = width;
      pen.strokeRect(left + (index % columns) * cellWidth + inset, top + Math.floor(index / columns) * cellHeight + inset,
        cellWidth - 1 - 2 * inset, cellHeight - 1 - 2 * inset);
    };
    const lit = new Set<number>();
    for (const element of link.elements) for (const cell of cellsOf.get(element) ?? []) lit.add(cell);
    if (link.elements.length > 0 && link.elements.length <= 32) {
      pen.strokeStyle = ink;
      const near = new Set<number>();
      for (const element of link.elements)
        for (const other of link.related(element)) for (const cell of cellsOf.get(other) ?? []) near.add(cell);
      for (const cell of near) if (!lit.has(cell)) frame(cell, 1.25, 0.5);
    }
    for (const cell of lit) {
      drawCell(pen, cell, ink, surface);
      pen.strokeStyle = ink;
      frame(cell, 2, 0);
    }
    if (current >= 0 && document.activeElement === canvas) {
      pen.strokeStyle = accent;
      frame(current, 2.5, -1);
    }
  }

  function cellAt(event: PointerEvent): number {
    const { left: x, top: y } = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - x - left) / cellWidth), row = Math.floor((event.clientY - y - top) / cellHeight);
    return column < 0 || row < 0 || column >= columns || row >= rows ? -1 : row * columns + column;
  }
  const say = (index: number) => announce(`${grid.title}: ${cells[index]!.words}`);

  canvas.addEventListener('pointermove', (event) => {
    if (event.pointerType === 'touch') return;
    const index = cellAt(event);
    link.hover(index < 0 ? [] : cells[index]!.elements);
  });
  canvas.addEventListener('pointerleave', () => link.hover([]));
  canvas.addEventListener('click', (event) => {
    const index = cellAt(event as PointerEvent);
    if (index < 0) return;
    current = index;
    link.hover([]);
    link.pin(cells[index]!.elements);
    say(index);
  });
  canvas.addEventListener('focus', () => {
    if (current < 0) current = 0;
    link.hover(cells[current]?.elements ?? []);
    drawLit();
  });
  canvas.addEventListener('blur', () => {
    link.hover([]);
    drawLit();
  });
  canvas.addEventListener('keydown', (event) => {
    const row = Math.floor(current / columns), column = current % columns;
    const to: Record<string, () => number> = {
      ArrowLeft: () => (column > 0 ? current - 1 : current),
      ArrowRight: () => (column < columns - 1 ? current + 1 : current),
      ArrowUp: () => (row > 0 ? current - columns : current),
      ArrowDown: () => (row < rows - 1 ? current + columns : current),
      Home: () => row * columns,
      End: () => row * columns + columns - 1,
    };
    const move = to[event.key];
    if (move !== undefined) {
      current = move();
      link.hover(cells[current]!.elements);
      drawLit();
      say(current);
    } else if (event.key === 'Enter' || event.key === ' ') {
      link.pin(cells[current]!.elements);
    } else if (event.key === 'Escape') {
      link.hover([]);
      if (link.pinned.length > 0) link.pin([]);
    } else {
      return;
    }
    event.preventDefault();
  });

  link.listen(drawLit);
  let width = -1;
  new ResizeObserver(() => {
    if (box.clientWidth === width) return;
    width = box.clientWidth;
    drawBase();
  }).observe(box);
  document.addEventListener('themechange', drawBase);
  return figure;
}
