// The whole API over a world with a folder of artifacts.
import type { TestContext } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { newLinkKey } from 'pawl/internal/artifact/link-keys';
import type { ArtifactLimits } from 'pawl/internal/engine/artifacts';
import type { Claim } from 'pawl/internal/engine/claim';
import type { ArtifactServices } from '@pawl/server/internal/http/artifact-view';
import { buildServer } from '@pawl/server/internal/http/server';
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
