// A Pawl with a server in front of it, and a client that reaches it over HTTP alone.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newLinkKey } from '../../src/artifact/link-keys.ts';
import { PawlClient } from '../../src/client/client.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { JobDefinition } from '../../src/handler/define-job.ts';
import { buildServer } from '../../src/http/server.ts';
import { openPawl } from '../../src/pawl/open-pawl.ts';
import { partsOf } from '../../src/pawl/parts.ts';
import type { Pawl } from '../../src/pawl/pawl.ts';

export interface Served {
  readonly pawl: Pawl;
  readonly client: PawlClient;
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the database at a free port, or at the one given; a worker runs the jobs if asked for. */
export async function serve(
  database: string,
  jobs: readonly JobDefinition[],
  { port = 0, isWorking = true }: { port?: number; isWorking?: boolean } = {},
): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-served-'));
  const artifacts = join(folder, 'artifacts');
  const pawl = await openPawl({ database, jobs: [...jobs], artifacts, log: false });
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
