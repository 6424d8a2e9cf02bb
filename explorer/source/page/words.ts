// A command line, taken apart into what the page shows: `heddle explore WORDS` opens #ask?w=…, and a
// pasted command line means the same.
import { nativeOnly } from '../engine/answer.js';
import type { State, Tab } from './state.js';

const commands: Record<string, Tab> = {
  layout: 'layout', translate: 'layout', show: 'layout', get: 'layout', info: 'layout', list: 'layout',
  banks: 'banks', place: 'place', convert: 'convert', compare: 'compare',
};

/** Options whose name in the state is another. */
const renamed: Record<string, string> = { shape: 'tile', 'k-order': 'order' };
const isHeddle = (word: string | undefined): boolean => word !== undefined && /^(.*\/)?heddle$/.test(word);

/** The words of a line that calls the program, as people paste it: behind a prompt, by a path, or through npx. */
export function commandOf(line: string): string[] | undefined {
  const called = /^\s*(?:[$>%]\s+)?(?:npx\s+(?:-\S+\s+)*)?((?:[^\s'"]*\/)?heddle\s.*)$/s.exec(line)?.[1];
  return called === undefined ? undefined : shellWords(called.trim()).slice(1);
}

/** Which elements a command asks for, as conditions: "row=9,column=3". */
function lightOf(command: string, asked: Readonly<State>): string {
  const conditions: string[] = [];
  const wanted = asked['at'] ?? asked['highlight'] ?? '';
  if (command === 'get' && /^\d/.test(wanted))
    wanted.split(',').forEach((value, i) => conditions.push(`${['row', 'column', 'block'][i]}=${value.trim()}`));
  else if (wanted !== '') conditions.push(wanted);
  if (command === 'get')
    for (const name of ['lane', 'reg']) if (asked[name]) conditions.push(`${name}=${asked[name]}`);
  return conditions.join(',');
}

const flags = new Set(['print', 'all', 'sources', 'count']);

export function fromWords(words: readonly string[]): { tab: Tab; state: State } {
  const rest = [...words];
  if (isHeddle(rest[0])) rest.shift();
  // The page cannot answer these: the text stays in the field, beside the sentence that says so.
  if (nativeOnly(rest) !== undefined) return { tab: 'layout', state: { of: ['heddle', ...rest].join(' ') } };
  const named = commands[rest[0] ?? ''];
  const command = named === undefined ? '' : rest.shift()!;
  const state: State = {};
  const positional: string[] = [];
  while (rest.length > 0) {
    const word = rest.shift()!;
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) positional.push(word);
    else if (/^(swizzle-only|padding-only|descriptor)$/.test(name)) state['means'] = word;
    else if (name === 'store' && (command === 'banks' || rest[0] === undefined || rest[0].startsWith('--'))) state['store'] = '1';
    else if (!flags.has(name)) state[renamed[name] ?? name] = value ?? rest.shift() ?? '';
  }
  const tab = named ?? ('access' in state || 'memory' in state ? 'banks'
    : 'load' in state || 'store' in state ? 'place' : 'from' in state ? 'convert' : positional.length > 1 ? 'compare' : 'layout');
  if (positional[0] !== undefined) state['of'] = positional[0];
  if (positional[1] !== undefined) state['with'] = positional[1];
  if (state['operand'] && state['operand'] !== 'all') state['of'] += `.${state['operand']}`;
  if (command === 'translate') delete state['to'];
  const light = lightOf(command, state);
  if (light !== '') state['light'] = light;
  for (const name of ['operand', 'format', 'color', 'view', 'at', 'highlight', 'lane', 'reg']) delete state[name];
  return { tab, state };
}

/** The words of a shell's line. */
export function shellWords(line: string): string[] {
  return [...line.replace(/\\\n/g, ' ').matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs)]
    .map(([word]) => word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs, (_, single, double, escaped) => single ?? double ?? escaped));
}
