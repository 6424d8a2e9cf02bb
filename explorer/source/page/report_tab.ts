// What `heddle run --report json` found, over the lines of the source.
import { announce, card, facts, h } from './dom.js';
import type { Edited } from './form.js';
import { take, type Shown } from './page.js';
import { timelineView } from './timeline.js';

let dropped: any;
const sources = new Map<string, string[]>();

const isSource = (name: string) => /\.(hip|cpp|cu|h|hpp|cuh|s|mlir|ptx)$/.test(name);

/** Keeps a report or a source; whether the file was one. */
export function takes(name: string, content: string): boolean {
  if (name.endsWith('.json')) {
    let parsed: any;
    try {
      parsed = JSON.parse(content);
    } catch {
      announce(`${name} is no JSON`);
      return false;
    }
    if (parsed?.schema === undefined || parsed?.report === undefined) return false;
    dropped = parsed;
    return true;
  }
  if (!isSource(name)) return false;
  sources.set(name, content.split('\n'));
  return true;
}

export function form(_edited: Edited, _again: Edited): HTMLElement[] {
  const input = h('input', {
    type: 'file', multiple: true, id: 'report-files', accept: '.json,.hip,.cpp,.cu,.h,.s,.mlir,.ptx',
    onchange: async () => {
      for (const file of (input as HTMLInputElement).files ?? []) await take(file);
    },
  });
  return [
    h('div', { class: 'drop' }, h('label', { for: 'report-files' }, 'Drop a report here, or choose it'), input,
      h('small', {}, 'and the kernel’s source files, to see the counts on their lines. Nothing leaves this page.')),
    card('How to make one', h('p', {}, 'The report is what this prints:'),
      h('pre', { class: 'code' }, 'heddle run kernel.hip kernel.launch \\\n  --check --report json > report.json')),
  ];
}

const number = (value: number) => value.toLocaleString('en');
const fileOf = (source: string) => /^(.*):(\d+):(\d+)$/.exec(source)?.[1] ?? source;
const lineOf = (source: string) => Number(/:(\d+):(\d+)$/.exec(source)?.[1] ?? 0);

function bars(title: string, entries: readonly (readonly [string, number])[], most = 14): HTMLElement | null {
  const sorted = entries.filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1]);
  if (sorted.length === 0) return null;
  const sum = sorted.reduce((total, [, value]) => total + value, 0);
  return card(title, h('table', { class: 'bars' }, h('tbody', {}, sorted.slice(0, most).map(([name, value]) => h('tr', {},
    h('th', { scope: 'row', class: 'mono' }, name), h('td', { class: 'number' }, number(value)),
    h('td', { class: 'bar' }, h('span', { style: `width:${(100 * value) / sorted[0]![1]}%` })),
    h('td', { class: 'number muted' }, `${((100 * value) / sum).toFixed(1)}%`))))));
}

const placesOf = (finding: any): string[] => [finding.source, finding.place, ...(finding.places ?? []).map((place: any) => place?.source ?? place)]
  .map((one) => (typeof one === 'string' ? one : one?.source)).filter((one): one is string => typeof one === 'string' && one !== '');

function listed(title: string, list: any[]): HTMLElement | null {
  if (!list?.length) return null;
  return card(title, h('ul', { class: 'findings' }, list.map((one) => h('li', {},
    h('strong', {}, one.kind ?? one.rule ?? ''), ' ', placesOf(one).slice(0, 1).map((place) => h('span', { class: 'mono muted' }, place)),
    h('p', {}, one.message), one.fix ? h('p', { class: 'fix' }, one.fix) : null))));
}

function sourceView(report: any): HTMLElement | null {
  const lines: any[] = report.emulated?.lines ?? [];
  if (lines.length === 0) return null;
  const byFile = new Map<string, Map<number, number>>();
  for (const { source, instructions } of lines) {
    const counts = byFile.get(fileOf(source)) ?? new Map<number, number>();
    counts.set(lineOf(source), (counts.get(lineOf(source)) ?? 0) + instructions);
    byFile.set(fileOf(source), counts);
  }
  const noted = new Map<string, any[]>();
  for (const one of [...(report.findings ?? []), ...(report.remarks ?? [])])
    for (const place of placesOf(one)) {
      const key = `${fileOf(place)}:${lineOf(place)}`;
      noted.set(key, [...(noted.get(key) ?? []), one]);
    }
  const most = Math.max(...[...byFile.values()].flatMap((counts) => [...counts.values()]));
  return h('div', {}, [...byFile].map(([file, counts]) => {
    const text = sources.get(file) ?? [...sources].find(([name]) => file.endsWith('/' + name) || name === file)?.[1];
    const numbers = text ? text.map((_, i) => i + 1) : [...counts.keys()].sort((a, b) => a - b);
    return h('section', { class: 'source' }, h('h3', { class: 'mono' }, file, text ? null : h('small', { class: 'muted' }, ' — drop this file to see its lines')),
      h('div', { class: 'table-box' }, h('table', {}, h('tbody', {}, numbers.map((line) => {
        const value = counts.get(line) ?? 0;
        const notes = [...new Set(noted.get(`${file}:${line}`) ?? [])];
        return [h('tr', { class: value > 0 ? 'counted' : '' },
          h('td', { class: 'number' }, value > 0 ? number(value) : ''),
          h('td', { class: 'bar' }, value > 0 ? h('span', { style: `width:${(100 * value) / most}%` }) : null),
          h('td', { class: 'number muted' }, line), h('td', { class: 'mono line' }, text?.[line - 1] ?? '')),
        notes.map((note) => h('tr', { class: 'note' }, h('td', { colspan: 3 }), h('td', {}, h('div', {}, h('strong', {}, `▲ ${note.kind ?? note.rule}: `), note.message, note.fix ? `; ${note.fix}` : ''))))];
      })))));
  }));
}

function verdictOf(report: any): HTMLElement {
  if (report.right === true && !report.findings?.length) return h('p', { class: 'verdict good' }, '✓ Right: every result was compared.');
  if (report.right === false) return h('p', { class: 'verdict bad' }, '✗ A result is wrong.');
  if (report.finished === false) return h('p', { class: 'verdict bad' }, '✗ The run did not finish.');
  return h('p', { class: 'verdict' }, report.findings?.length ? `✗ ${report.findings.length} findings.` : 'Nothing was judged.');
}

function one(report: any): { views: (HTMLElement | null)[]; facts: (HTMLElement | null)[] } {
  const mix = report.emulated?.mix;
  const lds: any[] = report.emulated?.lds ?? [];
  return {
    views: [h('h2', {}, `${report.kernel ?? report.file} on ${report.target}`), verdictOf(report),
      listed('Findings', report.findings), listed('What is slow', report.remarks), timelineView(report.emulated?.timeline), sourceView(report)],
    facts: [
      card('The run', facts([
        ['file', report.file], ['executed on', report.device], ['grid, block', `${report.grid?.join('×')}, ${report.block?.join('×')}`],
        ['registers', report.resources && `${report.resources.vgprs} VGPRs, ${report.resources.sgprs} SGPRs, ${report.resources.vgpr_spills} spilled`],
        ['LDS', report.resources && `${report.resources.lds_bytes + (report.resources.dynamic_lds_bytes ?? 0)} bytes`],
        ['workgroups a unit', report.occupancy && String(report.occupancy.workgroups_per_compute_unit)],
        ['instructions', mix && number(mix.wavefront_instructions)],
        ['read, written', report.emulated && `${number(report.emulated.bytes_read)} and ${number(report.emulated.bytes_written)} bytes`],
      ])),
      (report.results ?? []).length === 0 ? null : card('Results', report.results.map((result: any) => facts([
        ['array', result.array], ['expected', result.expectation], ['verdict', result.right ? '✓ right' : `✗ ${number(result.wrong)} of ${number(result.elements)} wrong`],
        ['largest error', typeof result.largest_error === 'number' ? result.largest_error.toPrecision(3) : String(result.largest_error ?? '')], ['because', (result.explanations ?? []).map((why: any) => why.message ?? why).join('; ')],
      ]))),
      mix ? bars('Instructions by class', Object.entries<number>(mix.classes)) : null,
      lds.length === 0 ? null : card('LDS', h('table', { class: 'bars' }, h('tbody', {}, lds.map((access) => h('tr', {},
        h('th', { scope: 'row', class: 'mono' }, access.instruction.split(' ')[0]), h('td', { class: 'number' }, `${number(access.ideal_passes + access.extra_passes)} passes`),
        h('td', { class: `number ${access.extra_passes > 0 ? 'bad' : ''}` }, `${number(access.extra_passes)} extra`)))))),
      mix ? bars('Opcodes', Object.entries<number>(mix.opcodes)) : null,
    ],
  };
}

export async function show(_again: Edited): Promise<Shown> {
  if (dropped === undefined) return { views: [h('p', { class: 'empty' }, 'Drop the JSON report of a run anywhere on this page.')], facts: [] };
  const all = (dropped.kernels?.length ? dropped.kernels : [dropped]).map(one);
  return { views: all.flatMap((part: any) => part.views), facts: all.flatMap((part: any) => part.facts) };
}
