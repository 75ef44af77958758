// Databases that can be backed up while they are written to, and restored elsewhere.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { backupDatabase } from 'pawl/internal/store/sqlite/backup';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { findInstallations } from '../support/postgres/installations.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import type { OpenStore } from '../support/world.ts';

export interface Place {
  readonly label: string;
  readonly open: OpenStore;
  readonly backUp: () => Promise<void>;
  /** Restores the backup into a new place, each time another. */
  readonly restore: () => Promise<OpenStore>;
}

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'pawl-restore-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function sqlite(): Place {
  const path = join(folder, 'pawl.db');
  const copy = join(folder, 'backup.db');
  let restored = 0;
  return {
    label: 'sqlite',
    open: (ports) => openSqliteStore({ ...ports, path }),
    backUp: async () => backupDatabase({ from: path, to: copy }),
    restore: async () => {
      const own = join(folder, `restored-${++restored}`);
      mkdirSync(own);
      cpSync(copy, join(own, 'pawl.db'));
      return (ports) => openSqliteStore({ ...ports, path: join(own, 'pawl.db') });
    },
  };
}

/** The servers whose installation has pg_dump beside it: a dump is made by the same version. */
async function postgres(): Promise<Place[]> {
  const servers = await postgresServers();
  const places = findInstallations().flatMap(({ major, binFolder }) => {
    const server = servers.find(({ label }) => label === `postgres ${major}`);
    return server === undefined || !existsSync(join(binFolder, 'pg_dump'))
      ? []
      : [{ server, binFolder }];
  });
  return Promise.all(
    places.map(async ({ server, binFolder }): Promise<Place> => {
      const database = await freshDatabase(server);
      after(() => database.drop());
      const file = join(folder, `${server.label}.dump`);
      return {
        label: server.label,
        open: (ports) => openPostgresStore({ ...ports, url: database.url }),
        backUp: async () => {
          const args = ['--format=custom', '--schema=pawl', `--file=${file}`, database.url];
          await run(join(binFolder, 'pg_dump'), args);
        },
        restore: async () => {
          const other = await freshDatabase(server);
          after(() => other.drop());
          const args = ['--exit-on-error', '--no-owner', `--dbname=${other.url}`, file];
          await run(join(binFolder, 'pg_restore'), args);
          return (ports) => openPostgresStore({ ...ports, url: other.url });
        },
      };
    }),
  );
}

export async function places(): Promise<Place[]> {
  return [sqlite(), ...(await postgres())];
}
