// The engine in the page: unpacked and compiled once, asked for JSON.
import { askLater, type Answer } from '../engine/answer.js';

let compiled: Promise<WebAssembly.Module> | undefined;

function engine(): Promise<WebAssembly.Module> {
  compiled ??= (async () => {
    const packed = document.getElementById('engine')!.textContent!;
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return WebAssembly.compile(await new Response(unpacked).arrayBuffer());
  })();
  return compiled;
}

/** Files that were dropped on the page, by name: layouts may name one. */
export const files: Record<string, Uint8Array> = {};

const kept = new Map<string, Promise<Answer>>();

/** Answers one command line; the last answers are kept. */
export function ask(words: readonly string[]): Promise<Answer> {
  const key = words.join('\0');
  let answer = kept.get(key);
  if (answer === undefined) {
    answer = engine().then((module) => askLater(module, words, { files }));
    if (kept.size > 200) kept.delete(kept.keys().next().value!);
    kept.set(key, answer);
  }
  return answer;
}

export function forget(): void {
  kept.clear();
}

/** The sentence with which the engine refuses an input. */
export class Refusal extends Error {}

/** The JSON report of a command. Throws a Refusal. */
export async function report(words: readonly string[]): Promise<any> {
  const answer = await ask([...words, '--format', 'json']);
  if (answer.status === 2) throw new Refusal(answer.error.trimEnd() || 'no answer');
  return JSON.parse(answer.output);
}

/** The same, or nothing where the input is refused. */
export async function reportIfAny(words: readonly string[]): Promise<any | undefined> {
  try {
    return await report(words);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

const pending = new Set<Promise<void>>();

/** What may come after the views have been drawn. */
export function later(work: Promise<void>): void {
  const mine: Promise<void> = work.finally(() => pending.delete(mine));
  pending.add(mine);
}

/** When everything that was asked has come. */
export async function settled(): Promise<void> {
  while (pending.size > 0) await Promise.all(pending);
}
