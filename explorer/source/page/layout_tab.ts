// A layout of any dialect or an operand of the catalogue: three linked views, and what it is.
import { card, counted, h } from './dom.js';
import { nativeOnly } from '../engine/answer.js';
import { ask, files, forget, later, Refusal, report, reportIfAny } from './engine.js';
import { codeCard, commandCard, formulaOf, instructionFacts, layoutFacts, pasteCard, translations } from './describe.js';
import { examples, option, processor, row, select, text, typeField, type Edited } from './form.js';
import { gridView, type Link } from './grid.js';
import { open, type Shown } from './page.js';
import { change, get, type State, type Tab } from './state.js';
import { commandOf, fromWords } from './words.js';
import { beginningOf, elementsWhere, isTooLarge, offsetsIn, tileOfLayout, tileOfOperand, type Tile } from './tile.js';
import { laneGrid, linkOf, list, matrixGrid, memoryGrid, memoryOf, wordsOf, type Colouring, type InMemory, type Memory } from './views.js';

/** "v_wmma_f32_16x16x16_f16.A" is its instruction and the operand; a name alone has operand "". */
export function operandOf(of: string): { name: string; operand: string } | undefined {
  const trimmed = of.trim();
  if (!/^[A-Za-z_][\w.:]*$/.test(trimmed) || /:\s*$/.test(trimmed)) return undefined;
  const found = /^(.*)\.(A|B|C|D|K|SA|SB|P)$/.exec(trimmed);
  return found === null ? { name: trimmed, operand: '' } : { name: found[1]!, operand: found[2]! };
}

const axesOf: Record<string, readonly [string, string]> = {
  A: ['m', 'k'], B: ['k', 'n'], C: ['m', 'n'], D: ['m', 'n'],
};

const colouringField = (edited: Edited) =>
  select('colour', 'Colours', [['', 'by lane'], ['register', 'by register'], ['bank', 'by bank']], edited);

export function form(edited: Edited, again: Edited): HTMLElement[] {
  return [
    text('of', 'Layout or operand', edited, {
      lines: 4,
      // A command line is taken apart; a text of Triton's that was pasted is a file without a name.
      whole: (isEntered) => {
        if (!isEntered && isTritonText(get('of'))) {
          keepFile(pastedFile, get('of'));
          change({ of: pastedFile, tile: '', warps: '', at: '' });
          again();
          return true;
        }
        const asked = questionOf(get('of'));
        if (asked !== undefined) open(asked.tab, asked.state);
        return asked !== undefined;
      },
      hint: 'Triton, Gluon, CuTe, IREE, TileLang, Composable Kernel, Heddle; or an instruction, .A .B .C .D behind it',
    }),
    examples([
      ['Triton', { of: '#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>', tile: '16x32', warps: '', memory: '', at: '' }],
      ['CuTe', { of: 'Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)', tile: '', warps: '', memory: '', at: '' }],
      ['thread-value', { of: '((4,8),(2,2)):((32,1),(16,8))', tile: '16x8', warps: '', memory: '', at: '' }],
      ['MFMA', { of: 'v_mfma_f32_32x32x8_f16.D', arch: 'gfx942', tile: '', warps: '', memory: '', at: '' }],
      ['wgmma', { of: 'wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16.D', arch: 'sm_90a', tile: '', warps: '', memory: '', at: '' }],
    ], again),
    processor(again),
    row(text('tile', 'Tile', edited, { placeholder: '16x8' }), text('warps', 'Warps', edited, { placeholder: '2x2' })),
    typeField(edited, "the operand's or the text's"),
    h('details', { class: 'more', open: ['wave', 'n', 'order', 'memory', 'colour'].some((name) => get(name) !== '') },
      h('summary', {}, 'More'),
      row(select('wave', 'Wave', [['', 'usual'], ['32', '32'], ['64', '64']], edited),
        text('n', 'Columns n', edited, { placeholder: 'of wgmma' })),
      select('order', 'k order', [['', "the ISA's"], ['contiguous', 'contiguous']], edited),
      text('memory', 'In memory as', edited, { placeholder: 'row after row', hint: 'a layout of shared memory, for the view of banks' }),
      colouringField(edited)),
    catalogue(again),
  ];
}

/** What a command line asks, where that is something that the page shows. */
function questionOf(line: string): { tab: Tab; state: State } | undefined {
  const command = commandOf(line);
  if (command === undefined || nativeOnly(command) !== undefined) return undefined;
  const asked = fromWords(command);
  return asked.state['of'] ?? asked.state['access'] ?? asked.state['load'] ?? asked.state['from'] ? asked : undefined;
}

/** The name of a text of Triton's that has none. */
const pastedFile = 'pasted.ttgir';

/** Whether this is several lines with names for layouts, as Triton prints a module. */
const isTritonText = (text: string): boolean => /\n\s*\S/.test(text) && /^\s*#\w+\s*=\s*#tt/m.test(text);

const kept = new Map<string, string>();

/** Keeps a file that layouts may name. */
export function keepFile(name: string, content: string): void {
  if (kept.get(name) === content) return;
  kept.set(name, content);
  files[name] = new TextEncoder().encode(content);
  forget();
}

/** One layout of a file: its name, its text without names of others, and the tile of its largest type. */
interface Named {
  name: string;
  text: string;
  tile: string;
}
/** The layouts of the file that was named last, so that the others stay at hand when one is shown. */
let namedLast: { file: string; layouts: Named[] } | undefined;

function namedIn(report: any): Named[] {
  const texts = new Map<string, string>(report.layouts.map((one: any) => [one.name, one.text]));
  const whole = (text: string, depth = 0): string => (depth > 8 ? text
    : text.replace(/#(\w+)(?![\w.<])/g, (reference, name) => (texts.has(name) ? whole(texts.get(name)!, depth + 1) : reference)));
  const elements = (tile: string) => tile.split('x').reduce((product, size) => product * Number(size), 1);
  return report.layouts.map(({ name, text, types }: any) => {
    const tiles = (types as string[]).map((type) => /<((?:\d+x)+)/.exec(type)?.[1]?.slice(0, -1)).filter((one) => one !== undefined);
    // Of buffers the stages are a dimension before the tile's; a tile alone is what one asks for.
    const least = Math.min(...tiles.map((one) => one.split('x').length));
    const [tile = ''] = tiles.filter((one) => one.split('x').length === least).sort((a, b) => elements(b) - elements(a));
    return { name, text: whole(text), tile };
  });
}

/** The names of a file's layouts, to click. */
function namedChips(again: Edited): HTMLElement | null {
  if (namedLast === undefined) return null;
  return h('div', { class: 'chips names', role: 'group', 'aria-label': `Layouts of ${namedLast.file}` }, h('span', { class: 'muted' }, namedLast.file),
    namedLast.layouts.map((one) => h('button', {
      type: 'button', class: 'chip', 'aria-pressed': String(one.text === get('of')), title: one.text,
      onclick: () => {
        change({ of: one.text, tile: one.tile, warps: '', at: '' });
        again();
      },
    }, `#${one.name}`)));
}

/** Instructions that a text is a part of, or that a processor of this name has, to click; nothing where there are none. */
async function candidates(of: string, again: Edited): Promise<Shown | undefined> {
  if (!/^[\w.]{2,}$/.test(of)) return undefined;
  const asked = async (...words: string[]) => ((await reportIfAny(['list', ...words]))?.instructions ?? []) as any[];
  let found = get('arch') === '' ? [] : await asked(of, ...option('arch', '--arch'));
  if (found.length === 0) found = await asked(of);
  let arch = '';
  if (found.length === 0) {
    found = await asked('--arch', of);
    if (found.length > 0) arch = of;
  }
  const names = [...new Map(found.map((one) => [one.name, one])).values()];
  if (names.length === 0) return undefined;
  const all = counted(names.length, 'instruction');
  return {
    views: [h('p', { class: 'verdict' }, arch === '' ? `No instruction is called ${of}; ${all} ha${names.length === 1 ? 's' : 've'} it in the name:` : `${of} is a processor, with ${all}:`),
      h('div', { class: 'card' }, h('ul', { class: 'catalogue candidates' }, names.map((one) => {
        const first = one.operands.D ? 'D' : Object.keys(one.operands)[0] ?? '';
        return h('li', {}, h('button', {
          type: 'button',
          onclick: () => {
            change({ of: first === '' ? one.name : `${one.name}.${first}`, tile: '', warps: '', at: '', n: '', ...(arch === '' ? {} : { arch }) });
            again();
          },
        }, h('span', { class: 'mono' }, one.name), h('small', {}, one.a ? `${one.a} × ${one.b} → ${one.d}` : '')));
      })))],
    facts: [],
  };
}

let rowsOfCatalogue: any[] | undefined;
let wanted = '';

/** Search over the instructions of the processor. */
function catalogue(again: Edited): HTMLElement {
  const list = h('ul', { class: 'catalogue', 'aria-label': 'Instructions' });
  const count = h('small', { role: 'status' });
  const isHere = new Map<string, Set<string>>();
  const show = async () => {
    rowsOfCatalogue ??= (await report(['list'])).instructions as any[];
    const arch = get('arch');
    if (arch !== '' && !isHere.has(arch)) {
      const here = await reportIfAny(['list', '--arch', arch]);
      isHere.set(arch, new Set((here?.instructions ?? []).map((one: any) => one.name)));
    }
    const words = wanted.toLowerCase().split(/\s+/).filter((word) => word !== '');
    const seen = new Set<string>();
    const found = rowsOfCatalogue.filter((one) => {
      const fits = words.every((word) => `${one.name} ${one.a} ${one.b} ${one.d} ${one.intrinsic} ${one.builtin} ${one.families.join(' ')}`.toLowerCase().includes(word));
      if (!fits || seen.has(one.name) || (arch !== '' && !isHere.get(arch)!.has(one.name))) return false;
      seen.add(one.name);
      return true;
    });
    count.textContent = counted(found.length, 'instruction') + (found.length > 60 ? ', the first 60' : '');
    const chosen = operandOf(get('of'))?.name;
    list.replaceChildren(...found.slice(0, 60).map((one) => {
      const first = one.operands.D ? 'D' : Object.keys(one.operands)[0] ?? '';
      return h('li', {}, h('button', {
        type: 'button', 'aria-pressed': String(one.name === chosen), title: one.name,
        onclick: () => {
          change({ of: first === '' ? one.name : `${one.name}.${first}`, tile: '', warps: '', at: '', n: '' });
          again();
        },
      }, h('span', { class: 'mono' }, one.name), h('small', {}, `${one.a} × ${one.b} → ${one.d}`)));
    }));
  };
  const search = h('input', {
    type: 'search', placeholder: 'wgmma, m16n8k16, bf16 …', 'aria-label': 'Search the instructions', value: wanted,
    oninput: () => {
      wanted = (search as HTMLInputElement).value;
      void show();
    },
  });
  setTimeout(show, 50);
  const isWide = matchMedia('(min-width: 761px)').matches;
  return h('details', { class: 'search', open: isWide || wanted !== '' }, h('summary', {}, 'Instructions'), search, count, list);
}

interface Seen {
  tile: Tile;
  facts: (HTMLElement | null)[];
  chips: HTMLElement | null;
  /** Of an element, and of the banks that it lies in. */
  inMemory: InMemory;
  /** What an element is computed from, in words. */
  sources: ((row: number, column: number) => Promise<string[]>) | undefined;
}

/** The lanes and registers that an element of D comes from: a line for A, B and C each. */
async function sourcesOf(words: readonly string[], row: number, column: number): Promise<string[]> {
  const answer = await reportIfAny(['get', ...words, '--operand', 'D', '--at', `${row},${column}`, '--sources']);
  const lines: string[] = [];
  for (const operand of ['A', 'B', 'C']) {
    const places: any[] = (answer?.found ?? []).filter((one: any) => one.operand === operand);
    if (places.length === 0) continue;
    const numbers = (key: string) => list([...new Set<number>(places.map((one) => one[key]))].sort((a, b) => a - b));
    const what = { A: `row ${row} of A`, B: `column ${column} of B`, C: 'C' }[operand];
    lines.push(`from ${what}: lanes ${numbers('lane')}, registers ${numbers('reg')}`);
  }
  return lines;
}

async function seenOperand(name: string, operand: string, again: Edited): Promise<Seen | undefined> {
  const words = [name, ...option('arch', '--arch'), ...option('wave', '--wave'), ...option('n', '--n')];
  const info = await reportIfAny(['info', ...words]);
  if (info === undefined) return undefined;
  const names = Object.keys(info.operands);
  const chosen = names.includes(operand) ? operand : names.includes('D') ? 'D' : names[0]!;
  const ordered = [...words, ...option('order', '--k-order')];
  const asked = ['show', ...ordered, '--operand', chosen];
  const shown = await report(asked);
  const document = await ask([...asked, '--format', 'md']);
  const isAmd = info.arch.startsWith('gfx');
  const layoutWords = [`${info.name}.${chosen}`, '--arch', info.arch];
  const { processors: [processor] } = await report(['list', '--processors', '--arch', info.arch]);
  // In memory the elements may be of another type than in registers.
  const bits = get('type') === '' ? shown.nbits : (await report(['layout', ...layoutWords, ...option('type', '--type')])).element_bits;
  return {
    tile: tileOfOperand(shown, info.wave, isAmd, axesOf[chosen] ?? ['row', 'column']),
    inMemory: { ...processor, element_bits: bits },
    chips: h('div', { class: 'chips', role: 'group', 'aria-label': 'Operand' }, names.map((one) => h('button', {
      type: 'button', class: 'chip', 'aria-pressed': String(one === chosen),
      onclick: () => {
        change({ of: `${name}.${one}`, at: '' });
        again();
      },
    }, one))),
    sources: chosen === 'D' ? (row, column) => sourcesOf([...ordered], row, column) : undefined,
    facts: [...instructionFacts(info, formulaOf(document.output, chosen), chosen), pasteCard(info),
      codeCard(layoutWords, info.arch), translations(layoutWords), commandCard(asked, ['info', ...words])],
  };
}

async function seenLayout(of: string): Promise<(Omit<Seen, 'tile'> & { tile: Tile | undefined }) | undefined> {
  const words = [of, ...option('tile', '--shape'), ...option('warps', '--warps'), ...option('arch', '--arch')];
  const typed = [...words, ...option('type', '--type')];
  const layout = await report(['layout', ...typed]);
  if (layout.layouts !== undefined) {
    namedLast = { file: of.replace(/:$/, ''), layouts: namedIn(layout) };
    return undefined;
  }
  const tile = isTooLarge(layout) ? await beginningOf(layout, words) : tileOfLayout(layout);
  return {
    tile, inMemory: layout, chips: null,
    sources: undefined,
    facts: [layoutFacts(layout), codeCard(words), translations(words), commandCard(['layout', ...typed], ['translate', ...words, '--to', 'all'])],
  };
}

/** What stands in the middle while a command line is typed: the page follows it when it is complete. */
function typedCommand(line: string): HTMLElement {
  const asked = questionOf(line);
  return h('p', { class: 'verdict' }, 'A command line: ',
    asked === undefined ? 'it asks for nothing yet that the page shows.'
      : [h('button', { type: 'button', class: 'chip', onclick: () => open(asked.tab, asked.state) }, 'Show it'), ' or Enter shows what it asks.']);
}

export async function show(again: Edited): Promise<Shown> {
  const of = get('of').trim();
  if (of === '') return { views: [h('p', { class: 'empty' }, 'Paste a layout, or choose an instruction.')], facts: [] };
  const native = nativeOnly(commandOf(of) ?? []);
  if (native !== undefined) throw new Refusal(`${native}; its JSON report (--report json) can be dropped on this page`);
  if (commandOf(of) !== undefined) return { views: [typedCommand(of)], facts: [] };
  if (isTritonText(of)) keepFile(pastedFile, of);
  const named = get('tile') === '' && get('warps') === '' ? operandOf(of) : undefined;
  const seen = (named && (await seenOperand(named.name, named.operand, again))) ?? (await seenLayout(isTritonText(of) ? pastedFile : of).catch(async (error: unknown) => {
    const shown = error instanceof Refusal ? await candidates(of, again) : undefined;
    if (shown === undefined) throw error;
    return shown;
  }));
  if (seen === undefined) return { views: [h('p', { class: 'verdict' }, `${namedLast!.layouts.length} layouts are in this text: choose one.`), namedChips(again)], facts: [] };
  if ('views' in seen) return seen;
  const { tile } = seen;
  const chips = seen.chips ?? (namedLast?.layouts.some((one) => one.text === of) ? namedChips(again) : null);
  if (tile === undefined) return { views: [chips, h('p', { class: 'verdict' }, 'This tile is too large to be drawn.')], facts: seen.facts };
  const colouring = (get('colour') || 'lane') as Colouring;
  let memory: Memory | undefined;
  if (tile.offsets !== undefined) memory = memoryOf(seen.inMemory, tile.offsets);
  else if (seen.inMemory.element_bits >= 4 && tile.whole === undefined) memory = memoryOf(seen.inMemory, await offsetsIn(tile, get('memory').trim()));
  const held = tile.threads > 0;
  if (tile.whole !== undefined) {
    // Of a part, only the matrix is drawn: registers and banks would seem free that hold the rest.
    const part = tile.offsets === undefined ? undefined : memory;
    const { link, element } = linked(tile, part);
    return {
      views: [chips, h('p', { class: 'verdict' }, `This tile has ${tile.whole.rows}×${tile.whole.columns} elements: its beginning is drawn.`), gridView(matrixGrid(tile, part, colouring), link)],
      facts: [element, ...seen.facts],
    };
  }
  const { link, element } = linked(tile, memory, seen.sources);
  const views = [
    chips,
    gridView(matrixGrid(tile, memory, colouring), link),
    held ? gridView(laneGrid(tile, memory, colouring), link) : null,
    memory ? gridView(memoryGrid(tile, memory, colouring, {}, held && get('memory') === '' ? 'Memory and banks, row after row' : 'Memory and banks'), link) : null,
  ];
  return { views, facts: [element, ...seen.facts] };
}

/** A link whose pinned element is in the address, and the card that says what is lit: in the words given where one
 * tile does not say it all. */
export function linked(tile: Tile, memory: Memory | undefined, sources?: Seen['sources'],
                       said: (element: number) => string = (one) => wordsOf(tile, memory, one)): { link: Link; element: HTMLElement } {
  const link = linkOf(tile, (elements) => change({ at: elements.join('.') }));
  const pinned = get('at').split('.').filter((one) => one !== '').map(Number)
    .filter((one) => Number.isInteger(one) && one >= 0 && one < tile.rows * tile.columns);
  const lit = get('light') === '' ? [] : elementsWhere(tile, get('light'));
  link.pinned = pinned.length > 0 || typeof lit === 'string' ? pinned : lit;
  const nothing = typeof lit === 'string' ? lit : get('light') !== '' && link.pinned.length === 0 ? `No element has ${get('light')}.`
    : 'Touch or hover a cell, or move with the arrow keys; Enter or a click keeps it.';
  const words = h('div', { id: 'element', 'aria-live': 'off' });
  const tell = (elements: readonly number[]) => {
    const shown = elements.slice(0, 8).map((one) => h('p', {}, said(one)));
    if (elements.length > 8) shown.push(h('p', { class: 'muted' }, `and ${elements.length - 8} more`));
    const [only] = link.pinned;
    if (sources !== undefined && elements.length === 1 && link.pinned.length === 1 && only === elements[0])
      later(sources(Math.floor(only! / tile.columns), only! % tile.columns).then((lines) => {
        if (link.elements[0] === only && words.querySelector('.sources') === null) words.append(...lines.map((line) => h('p', { class: 'sources muted' }, line)));
      }));
    words.replaceChildren(...(shown.length > 0 ? shown : [h('p', { class: 'muted' }, nothing)]));
  };
  link.listen(tell);
  tell(link.elements);
  return { link, element: card('Element', words) };
}
