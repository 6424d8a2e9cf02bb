// A command line, taken apart into what the page shows: `heddle explore WORDS` opens #ask?w=…, and a
// pasted command line means the same.
import type { State, Tab } from './state.js';

const commands: Record<string, Tab> = {
  layout: 'layout', translate: 'layout', show: 'layout', get: 'layout', info: 'layout', list: 'layout',
  banks: 'banks', place: 'place', convert: 'convert', compare: 'compare',
};

/** Options whose name in the state is another. */
const renamed: Record<string, string> = { shape: 'tile', 'k-order': 'order' };
const flags = new Set(['print', 'all']);

export function fromWords(words: readonly string[]): { tab: Tab; state: State } {
  const rest = [...words];
  if (rest[0] === 'heddle') rest.shift();
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
  for (const name of ['operand', 'format', 'color', 'view', 'at']) delete state[name];
  return { tab, state };
}

/** The words of a shell's line. */
export function shellWords(line: string): string[] {
  return [...line.replace(/\\\n/g, ' ').matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs)]
    .map(([word]) => word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs, (_, single, double, escaped) => single ?? double ?? escaped));
}
