// The right side: what a layout is, in words, in all dialects and as code.
import { card, code, counted, facts, fill, h } from './dom.js';
import { ask, later, reportIfAny } from './engine.js';
import { commandLine } from './form.js';
import { change, get } from './state.js';

const dialects: readonly (readonly [string, string])[] = [
  ['linear', 'Heddle'], ['ttg', 'Triton'], ['gluon', 'Gluon'], ['cute', 'CuTe'], ['iree', 'IREE'],
  ['tilelang', 'TileLang'], ['ck-tile', 'Composable Kernel'],
];

/** A layout in every dialect, or why not. The card is filled a little later: the views do not wait. */
export function translations(words: readonly string[]): HTMLElement {
  const place = h('div', { class: 'dialects' });
  const whole = card('In every dialect', place);
  later(reportIfAny(['translate', ...words, '--to', 'all']).then((said) => {
    if (said === undefined) whole.remove();
    else fill(place, texts(said));
  }));
  return whole;
}

const languages: readonly (readonly [string, string])[] = [['hip', 'HIP'], ['cuda', 'CUDA'], ['c', 'C'], ['python', 'Python'], ['mlir', 'MLIR']];

/** A layout as a function to paste, in the language of the state or the one that the processor suggests. */
export function codeCard(words: readonly string[], arch = get('arch')): HTMLElement {
  const place = h('div', { class: 'dialects' });
  const chips = h('div', { class: 'chips', role: 'group', 'aria-label': 'Language' });
  const whole = card('As code', chips, place);
  const show = (language: string) => {
    chips.replaceChildren(...languages.map(([key, name]) => h('button', {
      type: 'button', class: 'chip', 'aria-pressed': String(key === language),
      onclick: () => {
        change({ code: key });
        show(key);
      },
    }, name)));
    later(ask(['translate', ...words, '--to', language, '--format', 'json']).then(({ output }) => {
      const one = JSON.parse(output || '{}')[language];
      if (one?.code) fill(place, code(one.code, 'the code'));
      else if (one?.error) fill(place, h('p', { class: 'muted' }, one.error));
      else whole.remove();
    }));
  };
  show(get('code') || (arch.startsWith('sm_') ? 'cuda' : arch.startsWith('gfx') ? 'hip' : 'c'));
  return whole;
}

function texts(said: any): (HTMLElement | null)[] {
  return dialects.map(([key, name]) => {
    const one = said[key];
    if (one === undefined) return null;
    return h('div', { class: 'dialect' }, h('h3', {}, name),
      one.text ? [code(one.text, `${name}'s text`), one.tile ? h('small', {}, `a thread-value layout; its tile is ${one.tile.join('×')}`) : null]
        : h('p', { class: 'muted' }, one.error));
  });
}

const kinds: Record<string, string> = {
  held: 'who holds the elements of a tile: registers of lanes', shared: 'where a tile lies in memory',
  function: 'a function of coordinates',
};

export function layoutFacts(layout: any, title = 'What it is'): HTMLElement {
  const bases = layout.bases ?? {};
  const many = (axis: string) => 2 ** (bases[axis]?.length ?? 0);
  return card(title, facts([
    ['read as', layout.read_as],
    ['says', kinds[layout.kind] ?? layout.kind],
    ['tile', layout.sizes.map((size: number, i: number) => `${size} ${layout.axes[i]}`).join(' × ')],
    ['held by', layout.kind === 'held' && `${counted(many('register'), 'register')} × ${counted(many('lane'), 'lane')}` +
      (many('warp') > 1 ? ` × ${many('warp')} warps` : '') + (many('block') > 1 ? ` × ${many('block')} blocks` : '')],
    ['copies', layout.copies?.length > 0 && layout.copies.map((copy: any) => `bit ${copy.bit} of the ${copy.axis}`).join(', ')],
    ['vector', layout.vector > 1 && `${layout.vector} elements along ${layout.vector_axis} lie one after the other`],
    ['padding', layout.padding?.length > 0 && `${layout.padding.map(([every, free]: number[]) => `${free} free after every ${every}`).join(', ')}; ${layout.padded_size} places`],
    ['in memory', layout.kind !== 'held' && `elements of ${layout.element_bits} bits; ${layout.arch} has ${layout.banks} banks of ${layout.bank_bytes} bytes`],
    ['reaches', layout.reached && `offsets ${layout.reached.least} to ${layout.reached.most}, ${layout.reached.different} of them`],
    ['no map over bits', layout.why_not_linear],
    ['or', layout.hint],
  ]), layout.linear ? [h('h3', {}, 'Map'), code(layout.linear, 'the map')] : null);
}

/** The sentences between an operand's heading and its table in the report for documents. */
export function formulaOf(markdown: string, operand: string): string {
  const part = markdown.split(/^## /m).find((one) => new RegExp(`^([A-Z]+ and )*${operand}( and [A-Z]+)*:`).test(one)) ?? '';
  const lines = part.split('\n').slice(1);
  const end = lines.findIndex((line) => line.startsWith('|') || line.startsWith('registers of a lane'));
  return lines.slice(0, end < 0 ? undefined : end).join('\n').trim();
}

/** When instructions of the vector ALU issue, and how many cycles are left to them. */
function besideIt(published: any): string | null {
  if (!published) return null;
  if (published.first_cycle === 0) return 'no vector instruction';
  const left = published.cycles === null ? '' : `, for ${published.cycles} cycles`;
  return `vector instructions after ${published.first_cycle} cycles${left}`;
}

export function instructionFacts(info: any, formula: string, operand: string): HTMLElement[] {
  const on = [...new Set<string>(info.exists_on.map((one: any) => one.arch))];
  const rate = info.rate?.multiply_adds_per_clock;
  return [
    card('What it is',
      facts([
        ['computes', info.computes],
        ['on', `${info.arch}, ${info.product}; wave of ${info.wave}`],
        ['needs', info.needs?.join('; ')],
        ['rate', rate && `${rate} multiply-adds a clock of a ${info.rate.of}`],
        ['latency', info.latency && `${info.latency.cycles} cycles`],
        ['beside it', besideIt(info.co_execution)],
        ['encoding', info.encoding && `${info.encoding.format}, opcode 0x${info.encoding.opcode.toString(16)}`],
        ['witnesses', info.witnesses?.places?.join('; ')],
        ['doubt', info.doubt],
        ['also on', on.filter((arch) => arch !== info.arch).join(' ')],
      ])),
    ...(formula === '' ? [] : [card(`Where ${operand} lies`, h('p', { class: 'formula' }, formula),
      info.operands[operand]?.map ? code(info.operands[operand].map, 'the map') : null)]),
  ];
}

export function pasteCard(info: any): HTMLElement | null {
  const names = ([['intrinsic', info.intrinsic], ['builtin', info.builtin], ['CUTLASS', info.cutlass]] as const).filter(([, name]) => name);
  if (!info.call?.source && names.length === 0) return null;
  return card('Code to paste',
    info.call?.source ? [h('h3', {}, info.call.language), code(info.call.source, 'the call')] : null,
    names.map(([label, name]) => [h('h3', {}, label), code(name, label)]));
}

export function commandCard(...lines: (readonly string[])[]): HTMLElement {
  return card('On the command line', lines.map((words) => code(commandLine(words), 'the command')));
}
