import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contender, Ground } from './contenders.ts';
import { openPostgresGround } from './postgres-ground.ts';
import { openRedisGround } from './redis-ground.ts';

/** A fresh database for one measurement. */
export interface Plot {
  readonly url: string;
  /** What is known of the tables is what is in them now. */
  settle(): Promise<void>;
  /** What the server has done until now. */
  meter(): Promise<Meter>;
  clear(): Promise<void>;
}

/** Counts that only rise; null where the server cannot tell. */
export interface Meter {
  readonly logBytes: number | null;
  readonly rowsWritten: number | null;
  readonly cpuMicros: number | null;
  readonly rssBytes: number | null;
}

/** A server that is up, or the disk. */
export interface OpenGround {
  readonly conditions: string;
  plot(contender: Contender, prepare: (url: string) => Promise<void>): Promise<Plot>;
  close(): Promise<void>;
}

export const NO_METER: Meter = {
  logBytes: null,
  rowsWritten: null,
  cpuMicros: null,
  rssBytes: null,
};

/** Answers with why there is none, where there is none. */
export async function openGround(ground: Ground): Promise<OpenGround | string> {
  if (ground === 'postgres') return openPostgresGround();
  if (ground === 'sqlite') return openFiles();
  return openRedisGround(ground === 'redis always' ? 'always' : 'everysec');
}

function openFiles(): OpenGround {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-peers-'));
  let files = 0;
  return {
    conditions: `SQLite in files on the local disk, Pawl’s ${process.versions.sqlite}`,
    async plot() {
      const own = mkdtempSync(join(folder, `${files++}-`));
      return {
        url: join(own, 'jobs.db'),
        settle: async () => undefined,
        meter: async () => NO_METER,
        clear: async () => rmSync(own, { recursive: true, force: true }),
      };
    },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
