// What `heddle run --report json` found, over the lines of the source.
import { card, counted, facts, h } from './dom.js';
import type { Edited } from './form.js';
import { take, type Shown } from './page.js';
import { timelineView } from './timeline.js';

let dropped: any;
const sources = new Map<string, string[]>();

const isSource = (name: string) => /\.(hip|cpp|cu|h|hpp|cuh|s|mlir|ptx)$/.test(name);

/** Keeps a report or a source; whether the file was one. Throws a sentence where a .json is no report. */
export function takes(name: string, content: string): boolean {
  if (name.endsWith('.json')) {
    const wanted = 'a report is what `heddle run … --report json` prints';
    let parsed: any;
    try {
      parsed = JSON.parse(content);
    } catch {
      const begins = /^\s*[{[]/.test(content);
      throw new Error(`${name} ${begins ? 'is cut off or damaged: it begins as JSON and does not end as such' : 'is no JSON'}; ${wanted}`);
    }
    if (typeof parsed?.error === 'string') throw new Error(`${name} says that the run was refused: ${parsed.error}`);
    if (parsed?.schema === undefined) throw new Error(`${name} is JSON, but not of Heddle; ${wanted}`);
    if (parsed.report === undefined) throw new Error(`${name} is the answer of another command; ${wanted}`);
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
  const view = ([file, counts]: [string, Map<number, number>]) => {
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
  };
  // Lines of Heddle's own headers are there because the kernel calls them: they are not what one came for.
  const isOwn = ([file]: [string, unknown]) => file.includes('hip_without_rocm/');
  const own = [...byFile].filter(isOwn);
  return h('div', {}, [...byFile].filter((one) => !isOwn(one)).map(view),
    own.length === 0 ? null : h('details', { class: 'own' }, h('summary', {}, `Heddle's own headers: ${own.length} ${own.length === 1 ? 'file' : 'files'}`), own.map(view)));
}

const many = (count: number, noun: string): string => counted(count, noun, number(count));

/** The verdict of a kernel, whose `right` is false also where only findings or a stray write say so. */
function verdictOf(report: any, inProgram: boolean): HTMLElement {
  const results: any[] = report.results ?? [], findings: any[] = report.findings ?? [];
  const bad = (words: string) => h('p', { class: 'verdict bad' }, `✗ ${words}`);
  if (report.finished === false) return bad('The run did not finish.');
  const wrong = results.filter((result) => result.right === false).length;
  const found = findings.length === 0 ? '' : many(findings.length, 'finding');
  if (wrong > 0) return bad(`${wrong === 1 ? 'A result is' : `${wrong} results are`} wrong${found === '' ? '' : `, and there ${findings.length === 1 ? 'is' : 'are'} ${found}`}.`);
  const judged = results.length === 0 ? 'the result was not judged' : 'what was compared is right';
  if (found !== '') return bad(inProgram ? `${found}.` : `${found}; ${judged}.`);
  if ((report.changes ?? []).some((change: any) => change.is_error)) return bad(`Memory was written that is no result; ${judged}.`);
  if (report.right === false) return bad(`The run is not right; ${judged}.`);
  if (inProgram) return h('p', { class: 'verdict' }, report.checked ? 'The checker found nothing.' : 'Not checked: `--check` looks for races and reads of memory that nobody wrote.');
  if (report.right === true) return h('p', { class: 'verdict good' }, '✓ Right: every result was compared.');
  if (results.length > 0) return h('p', { class: 'verdict' }, 'Not judged: the limit of a result says nothing.');
  return h('p', { class: 'verdict' }, 'Nothing was judged: a line `expect` in the launch file says what is right.');
}

/** How a program ended, and what was found in all of its launches. */
function programVerdict(report: any): (HTMLElement | null)[] {
  const findings = (report.findings?.length ? report.findings : report.kernels.flatMap((kernel: any) => kernel.findings ?? [])).length;
  const ended = report.signal ? `ended by signal ${report.signal}` : `exit status ${report.exit_status}`;
  const isGood = !report.signal && report.exit_status === 0 && findings === 0 && !report.refusals?.length;
  return [h('h2', {}, `${report.file} on ${report.target}`),
    h('p', { class: `verdict ${isGood ? 'good' : 'bad'}` }, `${isGood ? '✓' : '✗'} The program: ${ended}; ${many(report.launches ?? 0, 'launch')} of ${many(report.kernels.length, 'kernel')}; ${
      report.checked || findings > 0 ? `${many(findings, 'finding')}` : 'not checked'}.`),
    (report.refusals ?? []).length === 0 ? null : card('Launches that were refused', h('ul', { class: 'findings' }, report.refusals.map((one: string) => h('li', {}, one))))];
}

/** What the plan chose, and why: the same lines as the command line prints. */
function choicesView(plan: any): HTMLElement | null {
  if (!plan?.choices?.length) return null;
  return card('The plan, and why', h('div', { class: 'choices-box' }, h('table', { class: 'choices' }, h('tbody', {}, plan.choices.map((choice: any) => h('tr', {},
    h('th', { scope: 'row' }, choice.what), h('td', { class: 'mono' }, choice.value), h('td', {}, choice.why)))))));
}

function changesView(report: any): HTMLElement | null {
  if (!report.changes?.length) return null;
  return card('Memory beside the results', h('ul', { class: 'findings' }, report.changes.map((change: any) => h('li', { class: change.is_error ? 'bad' : '' },
    h('span', { class: 'mono muted' }, `${report.launch ?? ''}:${change.line} `), h('p', {}, change.message)))));
}

/** Accesses with the same opcode and passes are one row with their number. */
function ldsView(lds: readonly any[]): HTMLElement | null {
  if (lds.length === 0) return null;
  const rows = new Map<string, { name: string; count: number; passes: number; extra: number }>();
  for (const { instruction, ideal_passes: ideal, extra_passes: extra } of lds) {
    const name = instruction.split(' ')[0] as string;
    const key = `${name} ${ideal} ${extra}`;
    const one = rows.get(key);
    if (one === undefined) rows.set(key, { name, count: 1, passes: ideal + extra, extra });
    else ++one.count;
  }
  return card('LDS', h('table', { class: 'bars' }, h('tbody', {}, [...rows.values()].map(({ name, count, passes, extra }) => h('tr', {},
    h('th', { scope: 'row', class: 'mono' }, name), h('td', { class: 'number muted' }, count > 1 ? `${count}×` : ''), h('td', { class: 'number' }, many(passes, 'pass')),
    h('td', { class: `number ${extra > 0 ? 'bad' : ''}` }, `${number(extra)} extra`))))));
}

function one(report: any, inProgram = false): { views: (HTMLElement | null)[]; facts: (HTMLElement | null)[] } {
  const mix = report.emulated?.mix;
  const lds: any[] = report.emulated?.lds ?? [];
  return {
    views: [h('h2', {}, `${report.kernel || report.file} on ${report.target}${inProgram ? `: ${many(report.launches ?? 1, 'launch')}` : ''}`), verdictOf(report, inProgram),
      listed('Findings', report.findings), changesView(report), listed('What is slow', report.remarks), choicesView(report.plan),
      timelineView(report.emulated?.timeline), sourceView(report)],
    facts: [
      card('The run', facts([
        ['file', report.file], ['executed on', report.device], ['grid, block', report.grid?.length > 0 && `${report.grid.join('×')}, ${report.block?.join('×')}`],
        ['registers', report.resources && `${report.resources.vgprs} VGPRs, ${report.resources.sgprs} SGPRs, ${report.resources.vgpr_spills} spilled`],
        ['LDS', report.resources && `${report.resources.lds_bytes + (report.resources.dynamic_lds_bytes ?? 0)} bytes`],
        ['workgroups a unit', report.occupancy && String(report.occupancy.workgroups_per_compute_unit)],
        ['instructions', mix && number(mix.wavefront_instructions)],
        ['read, written', report.emulated && `${number(report.emulated.bytes_read)} and ${number(report.emulated.bytes_written)} bytes`],
      ])),
      (report.results ?? []).length === 0 ? null : card('Results', report.results.map((result: any) => facts([
        ['array', result.array], ['expected', result.expectation], ['verdict', result.right ? '✓ right' : result.right === null ? `not judged: the limit of ${number(result.unjudged)} of ${number(result.elements)} elements says nothing` : `✗ ${number(result.wrong)} of ${number(result.elements)} wrong`],
        ['largest error', typeof result.largest_error === 'number' ? result.largest_error.toPrecision(3) : String(result.largest_error ?? '')], ['because', (result.explanations ?? []).map((why: any) => why.message ?? why).join('; ')],
      ]))),
      mix ? bars('Instructions by class', Object.entries<number>(mix.classes)) : null,
      ldsView(lds),
      mix ? bars('Opcodes', Object.entries<number>(mix.opcodes)) : null,
    ],
  };
}

export async function show(_again: Edited): Promise<Shown> {
  if (dropped === undefined) return { views: [h('p', { class: 'empty' }, 'Drop the JSON report of a run anywhere on this page.')], facts: [] };
  if (!dropped.kernels?.length) return dropped.report === 'program' ? { views: programVerdict({ ...dropped, kernels: [] }), facts: [] } : one(dropped);
  const isProgram = dropped.report === 'program';
  const all: ReturnType<typeof one>[] = dropped.kernels.map((kernel: any) => one(kernel, isProgram));
  return { views: [...(isProgram ? programVerdict(dropped) : []), ...all.flatMap((part) => part.views)], facts: all.flatMap((part) => part.facts) };
}
