import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MoveError } from './move-error.ts';

/** What we use of BullMQ's jobs. */
export interface BullJob {
  readonly id?: string;
  readonly name: string;
  readonly timestamp: number;
  readonly delay: number;
  readonly priority: number;
  readonly attemptsMade: number;
  readonly parentKey?: string;
  readonly repeatJobKey?: string;
  readonly opts: {
    readonly attempts?: number;
    readonly deduplication?: Deduplication;
  };
}

export interface Deduplication {
  readonly id: string;
  readonly ttl?: number;
  readonly extend?: boolean;
  readonly replace?: boolean;
}

export interface BullScheduler {
  readonly key: string;
  readonly name: string;
  readonly pattern?: string;
  readonly every?: number | string;
  readonly tz?: string;
}

export type BullState = 'waiting' | 'delayed' | 'prioritized' | 'active' | 'failed';

interface RedisClient {
  zscore(key: string, member: string): Promise<string | null>;
  hget(key: string, field: string): Promise<string | null>;
  scan(cursor: string, ...words: (string | number)[]): Promise<[string, string[]]>;
}

export interface BullQueue {
  readonly name: string;
  toKey(type: string): string;
  on(event: 'error', listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  /** Where the library is of version 5. */
  readonly client?: Promise<RedisClient>;
  /** Where it is of version 6. */
  getBackend?(): { readonly client: Promise<RedisClient> };
  getVersion?(): Promise<string | null>;
  getJobs(
    states: readonly BullState[],
    start: number,
    end: number,
    asc: boolean,
  ): Promise<BullJob[]>;
  getJobCounts(...states: string[]): Promise<Record<string, number>>;
  getJobSchedulers(start: number, end: number, asc: boolean): Promise<BullScheduler[]>;
  removeJobScheduler(key: string): Promise<unknown>;
  remove(id: string): Promise<number>;
  isPaused(): Promise<boolean>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

export interface BullLibrary {
  readonly version: string;
  readonly Queue: new (name: string, options: object) => BullQueue;
}

export function redisOf(queue: BullQueue): Promise<RedisClient> {
  return queue.client ?? queue.getBackend!().client;
}

/**
 * BullMQ as the project in this folder has it: its version wrote what is in Redis, so it is the one
 * to read it.
 */
export async function loadBullmq(folder: string): Promise<BullLibrary> {
  const { resolve } = createRequire(join(folder, 'package.json'));
  let path: string;
  let version: string;
  try {
    path = resolve('bullmq');
    const manifest = (await import(pathToFileURL(resolve('bullmq/package.json')).href, {
      with: { type: 'json' },
    })) as { default: { version: string } };
    ({ version } = manifest.default);
  } catch (cause) {
    const message =
      `the package "bullmq" is not installed in ${folder}: run this command in the folder of ` +
      'the project that uses BullMQ, or run "npm install bullmq" here';
    throw new MoveError('LIBRARY_MISSING', message, cause);
  }
  const { Queue } = (await import(pathToFileURL(path).href)) as Pick<BullLibrary, 'Queue'>;
  if (typeof (Queue.prototype as Partial<BullQueue>).getJobSchedulers === 'function') {
    return { version, Queue };
  }
  const message = `bullmq ${version} is too old to be moved from: update it to 5.16 or newer`;
  throw new MoveError('LIBRARY_MISSING', message);
}
