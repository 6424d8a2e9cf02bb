// The command line on any system that has Node.
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { nativeOnly, refusalOf, whyTrapped } from '../engine/answer.js';
import { errno, Errno, run } from '../engine/wasi.js';
import { engine } from './index.js';

const numbers: Record<string, number> = {
  ENOENT: errno.none, EACCES: errno.access, EPERM: errno.access, EISDIR: errno.isFolder,
  ENOSPC: errno.noSpace, EPIPE: errno.pipe,
};

function system<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new Errno(numbers[(error as NodeJS.ErrnoException).code ?? ''] ?? errno.io);
  }
}

/** Writes all bytes; a pipe that is full for the moment is tried again. */
function writeAll(stream: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(stream, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

/** Standard input; a pipe that is empty for the moment is waited for. */
function readInput(into: Uint8Array): number {
  for (;;) {
    try {
      return readSync(0, into);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0; // what Windows says at the end of a pipe
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

const words = process.argv.slice(2);
const { COLUMNS: _, ...environment } = process.env;
if (process.stdout.isTTY) environment['COLUMNS'] = String(process.stdout.columns);
const native = nativeOnly(words);
try {
  if (native !== undefined) {
    const { status, output, error } = refusalOf(words, native);
    process.stdout.write(output);
    process.stderr.write(error);
    process.exitCode = status;
  } else process.exitCode = run(engine(), {
    words,
    environment,
    input: (into) => system(() => readInput(into)),
    write: (stream, bytes) => system(() => writeAll(stream, bytes)),
    isTerminal: isatty,
    isFolder: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
    open(path) {
      const file = system(() => openSync(path, 'r'));
      return {
        read: (into) => system(() => readSync(file, into)),
        close: () => closeSync(file),
      };
    },
  });
} catch (error) {
  process.stderr.write(whyTrapped(error) + '\n');
  process.exitCode = 2;
}
