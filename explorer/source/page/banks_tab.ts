// An access to shared memory, phase by phase, and why lanes wait for each other.
import { card, counted, facts, h } from './dom.js';
import { report } from './engine.js';
import { codeCard, commandCard, translations } from './describe.js';
import { check, examples, flag, option, processor, row, text, typeField, type Edited } from './form.js';
import { gridView, type Grid } from './grid.js';
import { linked } from './layout_tab.js';
import type { Shown } from './page.js';
import { player } from './player.js';
import { change, get } from './state.js';
import { memoryLayout, tileOfLayout } from './tile.js';
import { laneGrid, list, matrixGrid, memoryGrid, memoryOf, wordOf } from './views.js';

export function form(edited: Edited, again: Edited): HTMLElement[] {
  const clean = { store: '', with: '', type: '', warps: '', width: '', other: '', at: '', instruction: '', phase: '' };
  return [
    processor(again, 'arch', 'Processor', false),
    text('access', 'Who reads or writes', edited, { lines: 2, hint: 'a layout, an operand, or rows:8 for threads that copy 8 elements each' }),
    text('memory', 'Where the tile lies', edited, { lines: 2, hint: 'a layout of shared memory, in any dialect' }),
    row(text('tile', 'Tile', edited, { placeholder: '64x64' }), text('warps', 'Warps', edited, { placeholder: '4' })),
    row(typeField(edited), text('with', 'With', edited, { placeholder: 'plain', hint: 'ldmatrix, stmatrix, with .trans behind it, or a load of AMD that transposes' })),
    check('store', 'a store: from registers to memory', edited),
    examples([
      ['row-major', { ...clean, arch: 'gfx1151', tile: '16x64', access: 'v_wmma_f32_16x16x16_f16.A', memory: '(16,64):(64,1)' }],
      ['padded', { ...clean, arch: 'gfx1151', tile: '16x64', access: 'v_wmma_f32_16x16x16_f16.A', memory: '#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [16, 64]}>' }],
      ['ldmatrix', { ...clean, arch: 'sm_90', with: 'ldmatrix', tile: '16x64', access: 'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.A', memory: '(16,64):(64,1)' }],
      ['swizzled', { ...clean, arch: 'sm_90', with: 'ldmatrix', tile: '16x64', access: 'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.A', memory: 'Sw<3,3,3> o 0 o (16,64):(64,1)' }],
    ], again),
  ];
}

/** How the words of a phase fall on the banks: a row for each pass, as its bank meets them. */
function passesGrid(phase: any, banks: number, elementsAt: (byte: number) => number[]): Grid {
  const columns: { byte: number; lanes: number[] }[][] = Array.from({ length: banks }, () => []);
  for (const { bank, byte, lanes } of phase.collisions) columns[bank]!.push({ byte, lanes });
  return {
    title: 'Banks in this phase', rowName: 'pass', columnName: 'bank', inCell: ['lane'], rows: Math.max(1, phase.passes), columns: banks,
    rowLabel: (pass) => String(pass + 1), columnLabel: String,
    cell(pass, bank) {
      const hit = columns[bank]![pass];
      const lanes = hit?.lanes ?? [];
      return {
        elements: hit === undefined ? [] : elementsAt(hit.byte),
        texts: [lanes.length === 0 ? '' : `${lanes[0]}${lanes.length > 1 ? '…' : ''}`, lanes.length === 0 ? '' : String(lanes[0])],
        colour: hit === undefined ? undefined : lanes[0], marked: hit !== undefined && pass > 0,
        words: hit === undefined ? `bank ${bank} is free in pass ${pass + 1}`
          : `bank ${bank}, pass ${pass + 1}: byte ${hit.byte} for ${lanes.length === 1 ? 'lane' : 'lanes'} ${lanes.join(', ')}`,
      };
    },
  };
}

export async function show(): Promise<Shown> {
  const tileWords = [...option('tile', '--tile'), ...option('warps', '--warps')];
  const words = ['banks', ...option('arch', '--arch'), ...tileWords, ...option('type', '--type'), ...flag('store', '--store'),
    ...option('with', '--with'), ...option('width', '--width'), ...option('access', '--access'), ...option('memory', '--memory')];
  const answer = await report(words);
  const memory = answer.memories[0];
  const held = await report(['layout', get('access'), ...option('tile', '--shape'), ...option('warps', '--warps'), ...option('arch', '--arch')]);
  const tile = tileOfLayout(held);
  const { layout, words: memoryWords } = await memoryLayout(get('memory').trim(), held.sizes.join('x'));
  const placed = tileOfLayout(layout);
  const inMemory = memoryOf(answer, placed.offsets!);
  const { link, element } = linked(tile, inMemory);

  const byWord = new Map<number, number[]>();
  for (let one = 0; one < inMemory.offsets.length; ++one) {
    const word = wordOf(inMemory, one);
    byWord.set(word, [...(byWord.get(word) ?? []), one]);
  }
  const elementsAt = (byte: number) => byWord.get(Math.floor(byte / answer.bank_bytes)) ?? [];

  const instructions: any[] = memory.instructions;
  const stages = h('div', { class: 'stages' });
  const draw = (instruction: any, phase: any) => {
    const active = new Set<number>();
    for (const lane of phase.lanes) {
      const at = instruction.addresses[lane];
      for (let byte = at; byte < at + instruction.bytes; byte += answer.bank_bytes) for (const one of elementsAt(byte)) active.add(one);
    }
    const marks = { active, marked: new Set<number>(phase.collisions.flatMap((hit: any) => elementsAt(hit.byte))) };
    stages.replaceChildren(
      phase.collisions.length > 0 ? gridView(passesGrid(phase, answer.banks, elementsAt), link)
        : h('p', { class: 'good' }, 'In this phase no two lanes want different words of one bank: one pass.'),
      gridView(memoryGrid(tile, inMemory, 'lane', marks), link),
      gridView(matrixGrid(tile, inMemory, 'lane', marks), link),
      gridView(laneGrid(tile, inMemory, 'lane', marks), link));
  };
  const steps = instructions.flatMap((instruction, i) => instruction.phases.map((phase: any) => ({ instruction, i, phase })));
  const first = Math.max(0, Number(get('phase')) || 0);
  const shown = player('phase', steps.length, first, (step) => {
    const { instruction, i, phase } = steps[step]!;
    draw(instruction, phase);
    if (String(step) !== (get('phase') || '0')) change({ phase: step === 0 ? '' : String(step) });
    return `instruction ${i + 1} of ${instructions.length}, phase ${phase.phase + 1} of ${instruction.phases.length}: lanes ${list(phase.lanes)}: ` +
      (phase.extra_passes === 0 ? 'one pass' : `${counted(phase.passes, 'pass')}, ${phase.extra_passes} of them extra`);
  });
  const total = memory.extra_passes === 0
    ? h('p', { class: 'verdict good' }, `No conflicts: ${counted(memory.phases, 'phase')}, one pass each.`)
    : h('p', { class: 'verdict bad' }, `${counted(memory.extra_passes, 'extra pass')} in ${counted(memory.phases, 'phase')}.`);
  const why = memory.reasons.length === 0 ? null : h('ul', { class: 'reasons' }, memory.reasons.map((reason: any) =>
    h('li', {}, h('strong', {}, reason.who), `: ${reason.why} `, h('span', { class: 'muted' }, `(${counted(reason.extra_passes, 'extra pass')} in ${counted(reason.phases, 'phase')})`))));
  return {
    views: [total, why, shown.element, stages],
    facts: [element, card('The access', facts([
      ['on', `${answer.arch}: ${answer.banks} banks of ${answer.bank_bytes} bytes, wave of ${answer.wave}`],
      ['bank model', answer.source], ['evidence', memory.evidence],
      ['moves', `${answer.kind} of ${answer.type}, ${counted(instructions[0]?.bytes ?? 0, 'byte')} a lane, ${counted(instructions.length, 'instruction')}`],
      ['memory', `${memory.bytes} bytes`],
    ])), codeCard(memoryWords), translations(memoryWords), commandCard(words)],
  };
}
