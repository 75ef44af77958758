import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPEN_CREDENTIAL } from 'pawl/internal/contract/credential';
import { silentLog } from 'pawl/internal/engine/context';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { type Platform, startPlatform } from '@pawl/server/internal/app/platform';
import { createKey } from '@pawl/server/internal/auth/manage-keys';
import { freePort } from '../../support/free-port.ts';
import { freshDatabase } from '../../support/postgres/fresh-database.ts';
import { postgresServers } from '../../support/postgres/servers.ts';
import type { Rung, RungOptions, Say } from '../figures.ts';
import { type Findings, prepare, run } from './tool.ts';

const STORES = ['sqlite', 'postgres'] as const;
const ACCESS = ['open', 'keys'] as const;

interface Variant {
  readonly store: (typeof STORES)[number];
  readonly access: (typeof ACCESS)[number];
}

/** An empty place for the data of one platform. */
async function storeFor(
  store: Variant['store'],
): Promise<{ env: object; drop: () => Promise<void> }> {
  if (store === 'sqlite') return { env: {}, drop: async () => undefined };
  const database = await freshDatabase((await postgresServers()).at(-1)!);
  return { env: { DATABASE_URL: database.url }, drop: () => database.drop() };
}

async function keyOf(platform: Platform) {
  const wish = { name: 'schemathesis', roles: ['admin' as const], tenant: 'default' };
  const { key, text } = await createKey(platform.engine, OPEN_CREDENTIAL, wish);
  return { id: key.id, text };
}

/** A credential that ended during the run would make every later answer a 401. */
async function isStillGood(url: string, key: { text: string } | null): Promise<boolean> {
  const headers: Record<string, string> =
    key === null ? {} : { authorization: `Bearer ${key.text}` };
  return (await fetch(`${url}/v1/me`, { headers })).status === 200;
}

async function tryVariant({ store, access }: Variant, options: RungOptions): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-schemathesis-'));
  const { env, drop } = await storeFor(store);
  const port = String(await freePort());
  const configuration = readConfiguration({
    PORT: port,
    PAWL_DATA: folder,
    PAWL_ROLES: 'api,sweeper',
    PAWL_AUTH: access === 'keys' ? 'on' : 'off',
    PAWL_PUBLIC_URL: `http://127.0.0.1:${port}`,
    ...env,
  });
  const platform = await startPlatform(configuration, silentLog);
  try {
    const key = access === 'keys' ? await keyOf(platform) : null;
    const { url } = platform;
    const examples = options.number('examples', 50);
    const found = await run({ url, key, folder, examples, seed: options.number('seed', 1) });
    if (await isStillGood(url, key)) return found;
    return { ...found, failures: [...found.failures, 'the credential ended during the run'] };
  } finally {
    await platform.stop();
    await drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function tell(say: Say, name: string, { cases, operations, failures, log }: Findings): void {
  say(`${name}: ${cases} requests, ${operations} operations, ${failures.length} findings`);
  if (failures.length > 0) say(log);
}

/** `--store sqlite --access keys --examples 50 --seed 1`: without a word, all four. */
export const runSchemathesis: Rung = async (options, say) => {
  const missing = prepare();
  if (missing !== null) throw new Error(`what is missing: ${missing}`);
  const stores = STORES.filter((one) => (options.text('store') ?? one) === one);
  const access = ACCESS.filter((one) => (options.text('access') ?? one) === one);
  const figures: Record<string, number> = {};
  const violations: string[] = [];
  for (const variant of stores.flatMap((store) => access.map((one) => ({ store, access: one })))) {
    const name = `${variant.store}, ${variant.access === 'keys' ? 'with' : 'without'} keys`;
    const found = await tryVariant(variant, options);
    tell(say, name, found);
    figures[`requests on ${name}`] = found.cases;
    figures['operations'] = found.operations;
    violations.push(...found.failures.map((one) => `${name}: ${one}`));
  }
  return { figures, violations };
};
