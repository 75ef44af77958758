// A platform with a log that can be searched, and a client and a worker with a codec.
import type { TestContext } from 'node:test';
import { inspect } from 'node:util';
import type { PayloadCodec } from 'pawl/internal/codec/payload-codec';
import { systemIds } from 'pawl/internal/core/ids';
import { Artifacts } from 'pawl/internal/engine/artifacts';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { type ArtifactWorld, openArtifactWorld } from '../artifact/artifact-world.ts';
import { inSqlite } from '../in-sqlite.ts';
import type { OpenStore } from '../world.ts';
import { BlindPair, putBlindTypes } from './canaries.ts';

/** The tenant of HTTP requests without a credential. */
export const TENANT = 'default';

export interface BlindWorld extends ArtifactWorld {
  readonly engine: Engine;
  readonly pair: BlindPair;
  /** Another client and worker of the same platform. */
  readonly pairWith: (codec: PayloadCodec, tenant?: string) => BlindPair;
  readonly logged: () => string;
}

export async function openBlind(
  context: TestContext,
  codec: PayloadCodec,
  store: OpenStore = inSqlite,
): Promise<BlindWorld> {
  const opened = await openArtifactWorld(context, { store });
  const { world, files } = opened;
  const lines: string[] = [];
  const warn = (...words: unknown[]): void => void lines.push(inspect(words, { depth: 10 }));
  const ids = systemIds(world.clock);
  const { random } = world;
  const parts = { store: world.store, lifecycles: builtInLifecycles, random, ids };
  const own = openContext({ ...parts, log: { warn } });
  const engine = new Engine(own);
  const access = new Artifacts(own, { files });
  for (const tenant of [TENANT, 'other']) {
    await putBlindTypes(engine, tenant);
  }
  const pairWith = (given: PayloadCodec, tenant: string = TENANT): BlindPair =>
    new BlindPair({ engine, access, codec: given, ids, tenant });
  const logged = (): string => lines.join('\n');
  return { ...opened, access, engine, pair: pairWith(codec), pairWith, logged };
}
