import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const DEBIAN = '/usr/lib/postgresql';

/** Debian's newest, or the one in PATH; the servers that npm brings come without it. */
export function findPgbench(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : [];
  const newestFirst = versions.toSorted((one, other) => other - one);
  const folders = [
    ...newestFirst.map((version) => join(DEBIAN, String(version), 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return folders.map((folder) => join(folder, 'pgbench')).find(existsSync) ?? null;
}

/** By what the raw ceiling is measured here. */
export function rawSqlThrough(): string {
  const path = findPgbench();
  if (path === null) return 'raw SQL in a bare loop, as there is no pgbench';
  return `raw SQL through ${execFileSync(path, ['--version'], { encoding: 'utf8' }).trim()}`;
}

interface Work {
  readonly url: string;
  readonly script: string;
  readonly connections: number;
  /** How often each connection goes through the script. */
  readonly times: number;
  /** Options of the session. */
  readonly pins: string;
}

/** Answers with the time without the connecting, as pgbench itself tells it. */
export async function runPgbench(path: string, work: Work): Promise<{ ms: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-pgbench-'));
  try {
    const file = join(folder, 'drain.sql');
    writeFileSync(file, work.script);
    const counts = ['-c', String(work.connections), '-t', String(work.times)];
    const flags = ['-n', '-M', 'prepared', ...counts, '-f', file, work.url];
    const env = { ...process.env, PGOPTIONS: work.pins };
    const { stdout } = await promisify(execFile)(path, flags, { env });
    const perSecond = Number(/tps = ([\d.]+) \(without/.exec(stdout)?.[1]);
    if (!(perSecond > 0)) throw new Error(`pgbench told no rate:\n${stdout}`);
    return { ms: (work.connections * work.times * 1_000) / perSecond };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
