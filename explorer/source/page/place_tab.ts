// The layout of a tile in shared memory with the fewest passes, found while the question changes.
import { card, counted, facts, h } from './dom.js';
import { report } from './engine.js';
import { codeCard, commandCard, translations } from './describe.js';
import { examples, option, processor, row, select, text, typeField, type Edited } from './form.js';
import { gridView } from './grid.js';
import { linked } from './layout_tab.js';
import { open, type Shown } from './page.js';
import { change, get } from './state.js';
import { tileOfLayout } from './tile.js';
import { matrixGrid, memoryGrid, memoryOf } from './views.js';

const means: Record<string, string> = {
  any: 'Any means', 'swizzle only': 'Swizzle', 'padding only': 'Padding', descriptor: "The hardware's swizzles", none: 'Row after row',
};

function stepper(again: Edited): HTMLElement {
  const sizes = (get('tile') || '64x32').split('x').map(Number);
  const step = (axis: number, factor: number) => () => {
    const next = sizes.map((size, i) => (i === axis ? Math.min(512, Math.max(1, size * factor)) : size));
    change({ tile: next.join('x') });
    again();
  };
  const buttons = (axis: number, name: string) => h('span', { class: 'stepper' },
    h('button', { type: 'button', onclick: step(axis, 0.5), 'aria-label': `half as many ${name}` }, '½'),
    h('output', {}, String(sizes[axis])),
    h('button', { type: 'button', onclick: step(axis, 2), 'aria-label': `twice as many ${name}` }, '×2'), ` ${name}`);
  return h('div', { class: 'field steppers' }, buttons(0, 'rows'), buttons(1, 'columns'));
}

export function form(edited: Edited, again: Edited): HTMLElement[] {
  const clean = { type: '', at: '', chosen: '', means: '' };
  return [
    processor(again, 'arch', 'Processor', false),
    row(text('tile', 'Tile', edited, { placeholder: '64x32' }), text('warps', 'Warps', edited, { placeholder: '4' })),
    stepper(again),
    text('store', 'Who writes it', edited, { lines: 2, hint: 'rows:8, columns:8, a layout or an operand; stmatrix: before it' }),
    text('load', 'Who reads it', edited, { lines: 2, hint: 'likewise; ldmatrix: or a load of AMD that transposes before it' }),
    row(typeField(edited), select('means', 'Leave out', [['', 'nothing'], ['--swizzle-only', 'padding'], ['--padding-only', 'swizzles'], ['--descriptor', 'what TMA cannot']], edited)),
    examples([
      ['WMMA', { ...clean, arch: 'gfx1151', tile: '64x32', warps: '4', store: 'rows:8', load: 'v_wmma_f32_16x16x16_f16.A' }],
      ['ldmatrix', { ...clean, arch: 'sm_90', tile: '64x64', warps: '4', store: 'rows:8', load: 'ldmatrix:mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.A' }],
      ['MFMA', { ...clean, arch: 'gfx942', tile: '64x64', warps: '2x2', store: 'rows:8', load: 'v_mfma_f32_32x32x8_f16.A' }],
    ], again),
  ];
}

export async function show(again: Edited): Promise<Shown> {
  const words = ['place', ...option('arch', '--arch'), ...option('tile', '--tile'), ...option('warps', '--warps'), ...option('type', '--type'),
    ...option('store', '--store'), ...option('load', '--load'), ...(get('means') === '' ? [] : [get('means')])];
  const answer = await report(words);
  const found = Object.entries<any>(answer).filter(([, one]) => one !== null && typeof one === 'object' && 'layout' in one);
  if (found.length === 0) throw new Error('there is no layout');
  const chosenName = found.some(([name]) => name === get('chosen')) ? get('chosen') : found[0]![0];
  const chosen = answer[chosenName];
  const most = Math.max(...found.map(([, one]) => one.passes));
  const table = h('div', { class: 'table-box' }, h('table', { class: 'placements' },
    h('thead', {}, h('tr', {}, ['', 'passes', '', 'at least', 'bytes', 'instructions'].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, found.map(([name, one]) => h('tr', { 'aria-selected': String(name === chosenName) },
      h('th', { scope: 'row' }, h('button', {
        type: 'button', class: 'chip', 'aria-pressed': String(name === chosenName),
        onclick: () => {
          change({ chosen: name, at: '' });
          again();
        },
      }, means[name] ?? name)),
      h('td', {}, String(one.passes)),
      h('td', { class: 'bar' }, h('span', { style: `width:${(100 * one.passes) / most}%` }), h('span', { class: 'bound', style: `left:${(100 * one.bound) / most}%` })),
      h('td', {}, one.optimal ? `${one.bound}: proven fewest` : String(one.bound)),
      h('td', {}, String(one.bytes)), h('td', {}, String(one.instructions)))))));
  const layout = await report(['layout', chosen.layout]);
  const tile = tileOfLayout(layout);
  const memory = memoryOf(answer, tile.offsets!);
  const { link, element } = linked(tile, memory);
  const toConflicts = (access: string, store: boolean) => h('button', {
    type: 'button', class: 'chip',
    onclick: () => {
      const moves: string[] = (chosen.accesses ?? []).map((one: any) => one.move);
      const instruction = moves.find((move) => access.startsWith(`${move}:`)) ?? '';
      const held = instruction === '' ? access : access.slice(instruction.length + 1);
      open('banks', { arch: get('arch'), tile: get('tile'), warps: get('warps'), type: get('type'), access: held, memory: chosen.layout, with: instruction, store: store ? '1' : '' });
    },
  }, store ? 'Show the stores' : 'Show the loads');
  return {
    views: [table,
      h('div', { class: 'chips' }, get('store') === '' ? null : toConflicts(get('store'), true), get('load') === '' ? null : toConflicts(get('load'), false)),
      gridView(memoryGrid(tile, memory, 'bank'), link), gridView(matrixGrid(tile, memory, 'bank'), link)],
    facts: [element,
      card(means[chosenName] ?? chosenName,
        chosen.why ? h('p', {}, chosen.why) : null,
        facts([
          ['passes', `${chosen.passes}, at least ${chosen.bound}${chosen.optimal ? ': no layout has fewer' : ''}`],
          ['bytes', String(chosen.bytes)],
          ...chosen.accesses.map((access: any) => [access.move, `${counted(access.instructions, 'instruction')} of ${counted(access.bytes_per_lane, 'byte')} a lane, ${counted(access.passes, 'pass')} (${access.conflict_free_passes} without conflicts)`] as const),
        ])),
      codeCard([chosen.layout]), translations([chosen.layout]), commandCard(words)],
  };
}
