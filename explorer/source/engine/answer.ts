// One question to the engine, and its answer as values.
import { errno, Errno, run, runLater, type Host } from './wasi.js';

/** What a command line answers. */
export interface Answer {
  /** 0: answered; 1: a check failed; 2: the input was refused. */
  status: number;
  /** Standard output. */
  output: string;
  /** Standard error. */
  error: string;
}

export interface Options {
  /** Files that the words may name, by their names: bytes, or text. */
  files?: Readonly<Record<string, Uint8Array | string>>;
  /** Columns that text is written for; without it 100. */
  columns?: number;
  /** Standard input, which a word "-" reads; empty without it. */
  input?: Uint8Array | string;
}

/** Why the native program has to answer: these commands compile, and the engine has no compiler. */
export function nativeOnly(words: readonly string[]): string | undefined {
  const [command] = words;
  if ((command !== 'run' && command !== 'compile') || words.some((word) => word === '--help' || word === '-h')) return undefined;
  return `\`heddle ${command}\` needs the native program, which has LLVM in it: \`./dev build\` makes build/bin/heddle`;
}

/** The refusal as the program says it: to people, and to who asked for JSON. */
export function refusalOf(words: readonly string[], sentence: string): Answer {
  const isJson = words.some((word, i) => /^--(format|report)=json$/.test(word) || (word === 'json' && /^--(format|report)$/.test(words[i - 1] ?? '')));
  return { status: 2, output: isJson ? `${JSON.stringify({ schema: 1, error: sentence })}\n` : '', error: `${sentence}\n` };
}

export const tooDeep = 'the input is nested deeper than the stack of WebAssembly';

/** What an exception of the module means, as a sentence. */
export function whyTrapped(error: unknown): string {
  if (error instanceof RangeError) return tooDeep;
  return `the engine failed: ${error instanceof Error ? error.message : String(error)}`;
}

/** A host that keeps what is written, and has the files of `options` alone. */
function keeper(words: readonly string[], options: Options) {
  const streams = { 1: [] as Uint8Array[], 2: [] as Uint8Array[] };
  const files = options.files ?? {};
  const text = (pieces: Uint8Array[]) => {
    const decoder = new TextDecoder();
    return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode();
  };
  const opened = (bytes: Uint8Array) => {
    let at = 0;
    return {
      read(into: Uint8Array) {
        const part = bytes.subarray(at, at + into.length);
        into.set(part);
        at += part.length;
        return part.length;
      },
      close() {},
    };
  };
  const bytesOf = (content: Uint8Array | string) => (typeof content === 'string' ? new TextEncoder().encode(content) : content);
  const input = opened(bytesOf(options.input ?? ''));
  const host: Host = {
    words,
    input: (into) => input.read(into),
    environment: options.columns === undefined ? {} : { COLUMNS: String(options.columns) },
    write: (stream, bytes) => void streams[stream].push(bytes),
    isTerminal: () => false,
    isFolder: () => false,
    open(path) {
      const file = Object.hasOwn(files, path) ? files[path] : undefined;
      if (file === undefined) throw new Errno(errno.none);
      return opened(bytesOf(file));
    },
  };
  const answer = (status: number, trapped = ''): Answer => ({
    status, output: text(streams[1]), error: text(streams[2]) + trapped,
  });
  const failed = (error: unknown) => answer(2, whyTrapped(error) + '\n');
  return { host, answer, failed };
}

/** Answers one command line. Never throws: what the engine cannot do has status 2. */
export function ask(module: WebAssembly.Module, words: readonly string[], options: Options = {}): Answer {
  const native = nativeOnly(words);
  if (native !== undefined) return refusalOf(words, native);
  const { host, answer, failed } = keeper(words, options);
  try {
    return answer(run(module, host));
  } catch (error) {
    return failed(error);
  }
}

/** The same in a browser's main thread. */
export async function askLater(module: WebAssembly.Module, words: readonly string[], options: Options = {}): Promise<Answer> {
  const native = nativeOnly(words);
  if (native !== undefined) return refusalOf(words, native);
  const { host, answer, failed } = keeper(words, options);
  try {
    return answer(await runLater(module, host));
  } catch (error) {
    return failed(error);
  }
}
