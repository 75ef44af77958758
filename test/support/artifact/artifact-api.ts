// The whole API over a world with a folder of artifacts.
import type { TestContext } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { newLinkKey } from '../../../src/artifact/link-keys.ts';
import type { ArtifactLimits } from '../../../src/engine/artifacts.ts';
import type { Claim } from '../../../src/engine/claim.ts';
import type { ArtifactServices } from '../../../src/http/artifact-view.ts';
import { buildServer } from '../../../src/http/server.ts';
import { inSqlite } from '../in-sqlite.ts';
import { type ArtifactWorld, openArtifactWorld } from './artifact-world.ts';

/** The tenant of requests without a credential. */
const OPEN_TENANT = 'default';

export interface ArtifactApi extends ArtifactWorld {
  readonly app: FastifyInstance;
  readonly services: ArtifactServices;
  readonly claimOne: () => Promise<Claim>;
}

export async function openArtifactApi(
  context: TestContext,
  limits: Partial<ArtifactLimits> = {},
): Promise<ArtifactApi> {
  const opened = await openArtifactWorld(context, { store: inSqlite, limits });
  const { world, access } = opened;
  const { context: parts, engine, clock } = world;
  await world.putType('export', { lifecycle: 'task' }, OPEN_TENANT);
  const services: ArtifactServices = { access, keys: [newLinkKey()], clock };
  const app = await buildServer({
    engine,
    doctor: parts,
    slo: parts,
    artifacts: services,
    bodyBytesMax: 1_000,
  });
  context.after(async () => {
    await engine.live.stop();
    await app.close();
  });
  const claimOne = async (): Promise<Claim> => {
    await world.enqueue('export', null, { tenant: OPEN_TENANT });
    return world.claimOne('w1', 'export');
  };
  return { ...opened, app, services, claimOne };
}
