// What each wave of a workgroup did between barriers, as rows over a common time.
import { h } from './dom.js';

interface Timeline { classes: string[]; waves: number[][][]; cut: boolean }

// Okabe and Ito's colours, which the colour-blind can tell apart.
const colours: Record<string, string> = {
  WMMA: '#0072b2', MFMA: '#0072b2', matrix: '#0072b2', VALU: '#56b4e9', arithmetic: '#56b4e9', LDS: '#e69f00', shared: '#e69f00',
  global: '#d55e00', generic: '#d55e00', scratch: '#f0e442', local: '#f0e442', wait: '#cc79a7', barrier: '#4d4d4d', branch: '#009e73', SALU: '#a6a6a6',
};
const colourOf = (name: string) => colours[name] ?? '#c9c9c9';

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
const number = (value: number) => value.toLocaleString('en');

/** Where each interval begins: behind the longest of the one before. The last number is the end. */
function starts(waves: readonly number[][][]): number[] {
  const begins = [0];
  const intervals = Math.max(...waves.map((wave) => wave.length));
  for (let i = 0; i < intervals; ++i) begins.push(begins[i]! + Math.max(...waves.map((wave) => sum(wave[i] ?? []))));
  return begins;
}

function words(classes: readonly string[], counts: readonly number[]): string {
  return counts.map((count, i) => (count > 0 ? `${number(count)} ${classes[i]}` : '')).filter((word) => word !== '').join(', ');
}

/** The classes of an interval side by side, as one background. */
function background(classes: readonly string[], counts: readonly number[]): string {
  const all = sum(counts);
  let from = 0;
  const stops = counts.map((count, i) => {
    const to = from + (100 * count) / all;
    const stop = count > 0 ? `${colourOf(classes[i]!)} ${from.toFixed(2)}% ${to.toFixed(2)}%` : '';
    from = to;
    return stop;
  });
  return `linear-gradient(90deg, ${stops.filter((stop) => stop !== '').join(', ')})`;
}

function barriersText(barriers: number, cut: boolean): string {
  if (barriers === 0) return 'The waves meet at no barrier.';
  if (cut) return `All waves go on together behind a barrier; what came after the first ${barriers} is one piece.`;
  return `All waves go on together behind ${barriers === 1 ? 'the barrier' : `each of the ${barriers} barriers`}.`;
}

export function timelineView(timeline: Timeline | null | undefined): HTMLElement | null {
  if (!timeline || timeline.waves.every((wave) => wave.length === 0)) return null;
  const { classes, waves } = timeline;
  const begins = starts(waves);
  const end = begins[begins.length - 1]!;
  const percent = (value: number) => `${((100 * value) / end).toFixed(3)}%`;
  const waiting = waves.map((wave) => wave.slice(0, -1).reduce((total, counts, i) => total + begins[i + 1]! - begins[i]! - sum(counts), 0));
  const longest = waiting.indexOf(Math.max(...waiting));
  const rows = waves.map((wave, w) => h('div', { class: 'wave' }, h('span', { class: 'mono muted' }, `wave ${w}`),
    h('div', { class: 'track' }, wave.map((counts, i) => {
      const all = sum(counts);
      const idle = i + 1 < wave.length ? begins[i + 1]! - begins[i]! - all : 0;
      const what = `wave ${w}, ${i === 0 ? 'from the start' : `behind barrier ${i}`}: ${words(classes, counts)}${idle > 0 ? `; waits for ${number(idle)}` : ''}`;
      return [
        all > 0 && h('span', { class: 'work', title: what, style: `left:${percent(begins[i]!)};width:${percent(all)};background:${background(classes, counts)}` }),
        idle > 0 && h('span', { class: 'idle', title: what, style: `left:${percent(begins[i]! + all)};width:${percent(idle)}` }),
      ];
    }))));
  const intervals = begins.slice(0, -1).map((_, i) => i);
  return h('figure', { class: 'card timeline' },
    h('h2', {}, 'Waves of the first workgroup'),
    h('p', {}, `Time runs in instructions: the emulator knows no cycles. ${barriersText(begins.length - 2, timeline.cut)} `,
      sum(waiting) === 0 ? 'No wave waits for another.'
        : `Waves wait ${((100 * sum(waiting)) / (end * waves.length)).toFixed(1)}% of the time (hatched), wave ${longest} the longest.`),
    h('div', { class: 'legend' }, classes.map((name) => h('span', {}, h('i', { style: `background:${colourOf(name)}` }), name)), h('span', {}, h('i', { class: 'idle' }), 'waiting for others')),
    h('div', { class: 'waves' }, rows),
    h('details', {}, h('summary', {}, 'As numbers'), h('div', { class: 'table-box' }, numbers(waves, intervals))));
}

function numbers(waves: readonly number[][][], intervals: readonly number[]): HTMLElement {
  return h('table', {},
    h('thead', {}, h('tr', {}, h('th', {}, 'wave'), intervals.map((i) => h('th', { class: 'number' }, i === 0 ? 'start' : `barrier ${i}`)))),
    h('tbody', {}, waves.map((wave, w) => h('tr', {},
      h('th', { scope: 'row' }, w), intervals.map((i) => h('td', { class: 'number' }, number(sum(wave[i] ?? []))))))));
}
