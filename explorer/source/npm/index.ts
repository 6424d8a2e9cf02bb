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

/** Answers one command line, given as its words without the program's name. Never throws: a refused
 * input has status 2 and a sentence in `error`. */
export function heddle(words: readonly string[], options: Options = {}): Answer {
  return askModule(engine(), words, options);
}

/** Every JSON report has the version of its form; the other keys are in docs/json.md. */
export interface Report {
  schema: number;
  [key: string]: any;
}

/** Answers one command with its JSON report. Throws an Error with the sentence where the input is
 * refused. */
export function ask(command: string, ...words: string[]): Report {
  const answer = heddle([command, ...words, '--format', 'json']);
  if (answer.status === 2) throw new Error(answer.error.trim() || `heddle ${command}: no answer`);
  return JSON.parse(answer.output) as Report;
}
