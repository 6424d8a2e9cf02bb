// heddle: the data layouts of GPU matrix cores, as `heddle` answers on the command line.
//
//   import { heddle, ask } from 'heddle';
//   heddle(['get', 'v_wmma_f32_16x16x16_f16', '--operand', 'D', '--at', '5,3', '--format', 'json'])
//   ask('list', '--arch', 'gfx1151').instructions[0].name
import { readFileSync } from 'node:fs';
import { ask as askModule, type Answer, type Options } from '../engine/answer.js';

export type { Answer, Options } from '../engine/answer.js';

let compiled: WebAssembly.Module | undefined;

/** The engine, compiled at the first call. */
export function engine(): WebAssembly.Module {
  return (compiled ??= new WebAssembly.Module(readFileSync(new URL('./engine.wasm', import.meta.url))));
}

/** A word of a command line: numbers are written as JavaScript writes them. */
export type Word = string | number;

/** The words as strings, or the sentence that says which is neither a string nor a number. */
function stringsOf(words: readonly Word[]): string[] | string {
  const wrong = words.findIndex((word) => typeof word !== 'string' && !Number.isFinite(word));
  if (wrong < 0) return words.map(String);
  const word: unknown = words[wrong];
  const kind = word === null ? 'null' : Array.isArray(word) ? 'an array' : typeof word === 'number' ? String(word)
    : typeof word === 'undefined' ? 'undefined' : typeof word === 'object' ? 'an object' : `a ${typeof word}`;
  return `the words of a command line are strings and numbers, and word ${wrong + 1} is ${kind}`;
}

/** Answers one command line, given as its words without the program's name. Never throws: a refused
 * input has status 2 and a sentence in `error`. */
export function heddle(words: readonly Word[], options: Options = {}): Answer {
  const strings = stringsOf(words);
  if (typeof strings === 'string') return { status: 2, output: '', error: `${strings}\n` };
  return askModule(engine(), strings, options);
}

/** Every JSON report has the version of its form; the other keys are in docs/json.md. */
export interface Report {
  schema: number;
  [key: string]: any;
}

/** Answers one command with its JSON report. Throws an Error with the sentence where the input is
 * refused. */
export function ask(command: string, ...words: Word[]): Report {
  const answer = heddle([command, ...words, '--format', 'json']);
  if (answer.status === 2) throw new Error(answer.error.trim() || `heddle ${command}: no answer`);
  return JSON.parse(answer.output) as Report;
}
