import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Authenticator } from '../auth/authenticator.ts';
import { HOME_TENANT, OPEN_CREDENTIAL } from 'pawl/internal/contract/credential';
import { createKey } from '../auth/manage-keys.ts';
import { tokenReader } from '../auth/token.ts';
import { systemClock } from 'pawl/internal/core/clock';
import { PawlError } from 'pawl/internal/core/errors';
import type { EngineLog } from 'pawl/internal/engine/context';
import type { Engine } from 'pawl/internal/engine/engine';
import type { Configuration } from './configuration.ts';

/** How callers are let in: by whom, and where the first key lies if it was made just now. */
export interface Access {
  readonly authenticator: Authenticator | null;
  readonly firstKeyFile: string | null;
}

const PRIVATE = 0o600;

/** Asks for credentials where it must, and makes the first key where there is none yet. */
export async function openAccess(
  configuration: Configuration,
  engine: Engine,
  log: EngineLog,
): Promise<Access> {
  const { isOpen, provider } = configuration.access;
  if (isOpen) return { authenticator: null, firstKeyFile: null };
  const { accessKeys } = engine;
  const warn: EngineLog['warn'] = (message, facts) => log.warn(message, facts);
  const clock = systemClock;
  const tokens =
    provider === null ? null : tokenReader({ ...provider, keys: provider.keysUrl, clock });
  const authenticator = new Authenticator({ accessKeys, clock, tokens, warn });
  const firstKeyFile = await makeFirstKey(configuration, engine);
  return { authenticator, firstKeyFile };
}

/** Into a file that only its owner can read: what is printed ends up in logs. */
async function makeFirstKey(configuration: Configuration, engine: Engine): Promise<string | null> {
  const known = await engine.accessKeys.list(HOME_TENANT, { limit: 1 });
  if (known.length > 0) return null;
  await mkdir(configuration.dataFolder, { recursive: true });
  const path = join(configuration.dataFolder, 'admin.key');
  await rm(path, { force: true });
  // Before the key: one that cannot be written down would lock everybody out.
  const file = await open(path, 'wx', PRIVATE);
  try {
    const { text } = await createKey(engine, OPEN_CREDENTIAL, {
      name: 'first-admin',
      roles: ['admin'],
      idempotencyKey: 'the first key',
    });
    await file.writeFile(`${text}\n`);
    return path;
  } catch (error) {
    await rm(path, { force: true });
    // Another process of the same platform was first.
    if (error instanceof PawlError && error.code === 'ALREADY_EXISTS') return null;
    throw error;
  } finally {
    await file.close();
  }
}
