// A Pawl with a server in front of it, and a client that reaches it over HTTP alone.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newLinkKey } from 'pawl/internal/artifact/link-keys';
import { PawlClient } from 'pawl/client';
import { systemClock } from 'pawl/internal/core/clock';
import type { JobDefinition } from 'pawl/internal/handler/define-job';
import { buildServer } from '@pawl/server/internal/http/server';
import { openPawl } from 'pawl/internal/pawl/open-pawl';
import { partsOf } from 'pawl/internal/pawl/parts';
import type { Pawl } from 'pawl/internal/pawl/pawl';

export interface Served {
  readonly pawl: Pawl;
  readonly client: PawlClient;
  readonly url: string;
  close(): Promise<void>;
}

interface ServeOptions {
  readonly port?: number;
  readonly isWorking?: boolean;
  /** A standby of the database. */
  readonly replicaUrl?: string;
}

/** Serves the database at a free port, or at the one given; a worker runs the jobs if asked for. */
export async function serve(
  database: string,
  jobs: readonly JobDefinition[],
  { port = 0, isWorking = true, replicaUrl }: ServeOptions = {},
): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-served-'));
  const artifacts = join(folder, 'artifacts');
  const pawl = await openPawl({
    database,
    jobs: [...jobs],
    artifacts,
    log: false,
    ...(replicaUrl === undefined ? {} : { replicaUrl }),
  });
  const { context, engine, artifacts: access } = partsOf(pawl);
  const app = await buildServer({
    engine,
    doctor: context,
    slo: context,
    artifacts: { access: access!, keys: [newLinkKey()], clock: systemClock },
    load: { lagMsMax: Number.POSITIVE_INFINITY },
  });
  const url = await app.listen({ port, host: '127.0.0.1' });
  if (isWorking) pawl.work();
  return {
    pawl,
    client: new PawlClient({ url }),
    url,
    close: async () => {
      const closing = app.close();
      await pawl.close();
      await closing;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
