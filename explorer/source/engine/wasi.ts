// The part of WASI that the engine asks for: arguments, environment, standard streams, files that are
// read. One module instance answers one command line.

/** A file that is being read. */
export interface OpenFile {
  /** Fills `into` from where the last call stopped; 0 at the end. Throws an Errno. */
  read(into: Uint8Array): number;
  close(): void;
}

/** What the outside is to one command line. */
export interface Host {
  /** The words after the program's name. */
  words: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  /** Standard input: fills `into` as a file does. */
  input(into: Uint8Array): number;
  /** Standard output (1) and standard error (2). Throws an Errno. */
  write(stream: 1 | 2, bytes: Uint8Array): void;
  /** Whether the stream is a terminal. */
  isTerminal(stream: number): boolean;
  /** A file by the name that was written; Errno says why not. */
  open(path: string): OpenFile;
  isFolder(path: string): boolean;
}

/** Numbers of WASI's `errno`. */
export const errno = { access: 2, badFile: 8, isFolder: 31, io: 29, none: 44, noSpace: 51, pipe: 64 };

export class Errno extends Error {
  constructor(readonly number: number) {
    super(`WASI errno ${number}`);
  }
}

class Exit extends Error {
  constructor(readonly status: number) {
    super(`exit ${status}`);
  }
}

const firstFolder = 3; // the one folder there is, from which every path begins
const filetype = { unknown: 0, character: 2, folder: 3, regular: 4 };
const rights = { read: 2n, write: 64n, everything: 0x1fffffffn };

/** A command line that waits for its instance of the module. */
interface Prepared {
  imports: WebAssembly.Imports;
  /** Runs the program and returns its exit status. */
  start(instance: WebAssembly.Instance): number;
}

/** Runs the program and returns its exit status. Throws what the module throws: a RangeError when it
 * recurses deeper than the host's stack, a RuntimeError when it traps. */
export function run(module: WebAssembly.Module, host: Host): number {
  const { imports, start } = prepare(host);
  return start(new WebAssembly.Instance(module, imports));
}

/** The same where an instance must not be made at once: in a browser's main thread. */
export async function runLater(module: WebAssembly.Module, host: Host): Promise<number> {
  const { imports, start } = prepare(host);
  return start(await WebAssembly.instantiate(module, imports));
}

function prepare(host: Host): Prepared {
  let memory: WebAssembly.Memory;
  const view = () => new DataView(memory.buffer);
  const bytes = (at: number, size: number) => new Uint8Array(memory.buffer, at, size);
  const textAt = (at: number, size: number) => new TextDecoder().decode(bytes(at, size));
  const strings = (texts: string[]) => texts.map((text) => new TextEncoder().encode(text + '\0'));

  const words = strings(['heddle', ...host.words]);
  const environment = strings(
    Object.entries(host.environment).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${value}`],
    ),
  );
  const sizes = (list: Uint8Array[]) => (count: number, size: number) => {
    view().setUint32(count, list.length, true);
    view().setUint32(size, list.reduce((sum, one) => sum + one.length, 0), true);
    return 0;
  };
  const copy = (list: Uint8Array[]) => (pointers: number, at: number) => {
    for (const one of list) {
      view().setUint32(pointers, at, true);
      bytes(at, one.length).set(one);
      pointers += 4;
      at += one.length;
    }
    return 0;
  };

  const files = new Map<number, OpenFile>();
  let nextFile = firstFolder + 1;
  // wasi-libc drops the slash that an absolute path begins with; the words still have it.
  const asWritten = (path: string) => {
    const absolute = '/' + path;
    const isAbsolute = host.words.some((word) => word.startsWith(absolute) || word.includes('=' + absolute));
    return isAbsolute ? absolute : path;
  };
  const caught = (work: () => void): number => {
    try {
      work();
      return 0;
    } catch (error) {
      if (error instanceof Errno) return error.number;
      throw error;
    }
  };
  /** Calls `each` with the buffers of an iovec list until one is not used up; returns the sum. */
  const vectors = (list: number, count: number, each: (buffer: Uint8Array) => number): number => {
    let sum = 0;
    for (let i = 0; i < count; ++i) {
      const size = view().getUint32(list + 8 * i + 4, true);
      if (size === 0) continue;
      const used = each(bytes(view().getUint32(list + 8 * i, true), size));
      sum += used;
      if (used < size) break;
    }
    return sum;
  };

  const imports = {
    args_sizes_get: sizes(words),
    args_get: copy(words),
    environ_sizes_get: sizes(environment),
    environ_get: copy(environment),
    clock_time_get(_clock: number, _precision: bigint, at: number) {
      view().setBigUint64(at, BigInt(Date.now()) * 1000000n, true);
      return 0;
    },
    proc_exit(status: number) {
      throw new Exit(status);
    },
    fd_prestat_get(file: number, at: number) {
      if (file !== firstFolder) return errno.badFile;
      view().setUint32(at, 0, true);
      view().setUint32(at + 4, 1, true);
      return 0;
    },
    fd_prestat_dir_name(_file: number, at: number) {
      bytes(at, 1)[0] = '/'.charCodeAt(0);
      return 0;
    },
    fd_fdstat_get(file: number, at: number) {
      const terminal = file < firstFolder && host.isTerminal(file);
      const type = terminal ? filetype.character
        : file < firstFolder ? filetype.unknown
        : file === firstFolder ? filetype.folder : filetype.regular;
      bytes(at, 24).fill(0);
      view().setUint8(at, type);
      view().setBigUint64(at + 8, terminal ? rights.read | rights.write : rights.everything, true);
      view().setBigUint64(at + 16, rights.everything, true);
      return 0;
    },
    fd_filestat_get(_file: number, at: number) {
      bytes(at, 64).fill(0);
      view().setUint8(at + 16, filetype.regular);
      return 0;
    },
    path_filestat_get(_folder: number, _flags: number, path: number, size: number, at: number) {
      const name = asWritten(textAt(path, size));
      return caught(() => {
        const isFolder = host.isFolder(name);
        if (!isFolder) host.open(name).close();
        bytes(at, 64).fill(0);
        view().setUint8(at + 16, isFolder ? filetype.folder : filetype.regular);
      });
    },
    path_open(_folder: number, _look: number, path: number, size: number, _flags: number,
              _rights: bigint, _inherited: bigint, _options: number, at: number) {
      const name = asWritten(textAt(path, size));
      return caught(() => {
        if (host.isFolder(name)) throw new Errno(errno.isFolder);
        files.set(nextFile, host.open(name));
        view().setUint32(at, nextFile++, true);
      });
    },
    fd_close(file: number) {
      files.get(file)?.close();
      return files.delete(file) || file <= firstFolder ? 0 : errno.badFile;
    },
    fd_read(file: number, list: number, count: number, at: number) {
      const read = file === 0 ? host.input : files.get(file)?.read;
      if (read === undefined) return errno.badFile;
      return caught(() => {
        view().setUint32(at, vectors(list, count, read), true);
      });
    },
    fd_seek: () => errno.badFile,
    fd_write(file: number, list: number, count: number, at: number) {
      if (file !== 1 && file !== 2) return errno.badFile;
      return caught(() => {
        const sum = vectors(list, count, (buffer) => {
          host.write(file, buffer.slice());
          return buffer.length;
        });
        view().setUint32(at, sum, true);
      });
    },
  };

  const start = (instance: WebAssembly.Instance): number => {
    memory = instance.exports['memory'] as WebAssembly.Memory;
    try {
      (instance.exports['_start'] as () => void)();
      return 0;
    } catch (error) {
      if (error instanceof Exit) return error.status;
      throw error;
    } finally {
      for (const file of files.values()) file.close();
    }
  };
  return { imports: { wasi_snapshot_preview1: imports }, start };
}
