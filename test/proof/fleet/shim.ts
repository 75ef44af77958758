// The clock and the syncs of one process, in somebody else's hands: see shim.c.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('shim.c', import.meta.url));
const COMPILER = 'cc';
const PAGE_BYTES = 4_096;
const WORDS = [
  'clockMs',
  'syncDelayMs',
  'syncFailures',
  'shifted',
  'delayed',
  'failed',
  'writeError',
  'onlyDatabase',
] as const;
type Word = (typeof WORDS)[number];

/** Compiles the library, or says why there is none. */
export function buildShim(folder: string): { library: string } | { reason: string } {
  if (process.platform !== 'linux') return { reason: 'the shim for clocks and syncs needs Linux' };
  const library = join(folder, 'shim.so');
  const flags = ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'];
  const { status } = spawnSync(COMPILER, flags, { stdio: 'ignore' });
  if (status !== 0) return { reason: 'the shim for clocks and syncs needs a C compiler (cc)' };
  chmodSync(library, 0o755);
  return { library };
}

/** One page, read by the process that is started with `env` and by its children. */
export class Shim {
  readonly env: Readonly<Record<string, string>>;
  readonly #file: number;

  /** A page that is there already is used by a process that is preloaded itself. */
  constructor(library: string, path: string) {
    if (!existsSync(path)) writeFileSync(path, Buffer.alloc(PAGE_BYTES));
    chmodSync(path, 0o666);
    this.#file = openSync(path, 'r+');
    this.env = { LD_PRELOAD: library, PROOF_SHIM: path };
  }

  get(word: Word): number {
    const bytes = Buffer.alloc(8);
    readSync(this.#file, bytes, 0, 8, WORDS.indexOf(word) * 8);
    return Number(bytes.readBigInt64LE());
  }

  set(word: Word, value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(value));
    writeSync(this.#file, bytes, 0, 8, WORDS.indexOf(word) * 8);
  }

  close(): void {
    closeSync(this.#file);
  }
}
