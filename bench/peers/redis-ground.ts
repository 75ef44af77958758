import { setTimeout as sleep } from 'node:timers/promises';
import { importPeer } from '../../scripts/peers/install.ts';
import { findRedis, startRedis } from '../../scripts/peers/redis.ts';
import type { Meter, OpenGround } from './grounds.ts';

interface Client {
  flushall(): Promise<unknown>;
  bgrewriteaof(): Promise<unknown>;
  info(): Promise<string>;
  quit(): Promise<unknown>;
}

interface Library {
  readonly Redis: new (url: string) => Client;
}

const LOOK_MS = 5;

/** A server of its own that writes every command to a file, and flushes it as told. */
export async function openRedisGround(
  appendfsync: 'everysec' | 'always',
): Promise<OpenGround | string> {
  const path = await findRedis();
  if (path === null) return 'no Redis was found: install redis-server, or set REDIS_SERVER_PATH';
  const server = await startRedis(path, {
    appendonly: 'yes',
    appendfsync,
    // Its size then tells what was written; the rewriting is done between the measurements.
    'auto-aof-rewrite-percentage': '0',
  });
  const { Redis } = await importPeer<Library>('ioredis');
  const client = new Redis(server.url);
  const version = factOf(await client.info(), 'redis_version');
  return {
    conditions: `Redis ${version} on loopback: appendonly yes, appendfsync ${appendfsync}`,
    async plot() {
      await beginAnew(client);
      return {
        url: server.url,
        settle: async () => undefined,
        meter: async () => meterOf(await client.info()),
        clear: async () => undefined,
      };
    },
    async close() {
      await client.quit();
      await server.stop();
    },
  };
}

/** Empty, and with an empty file. */
async function beginAnew(client: Client): Promise<void> {
  await client.flushall();
  await client.bgrewriteaof();
  for (;;) {
    const info = await client.info();
    if (/aof_rewrite_in_progress:0/.test(info) && /aof_rewrite_scheduled:0/.test(info)) return;
    await sleep(LOOK_MS);
  }
}

function factOf(info: string, name: string): string {
  return new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? '';
}

function meterOf(info: string): Meter {
  const seconds = Number(factOf(info, 'used_cpu_user')) + Number(factOf(info, 'used_cpu_sys'));
  return {
    logBytes: Number(factOf(info, 'aof_current_size')),
    rowsWritten: null,
    cpuMicros: seconds * 1e6,
    rssBytes: Number(factOf(info, 'used_memory_rss')),
  };
}
