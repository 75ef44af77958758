import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { StoreWakeSignal } from '../wake-signal.ts';
import type { Database } from './database.ts';
import { quoteName } from './schemas.ts';

/** What one notification can hold; more than that is said as "any". */
const PAYLOAD_MAX = 7_000;
const ANY = '*';
const RETRY_MS = 1_000;
const PROBE_MS = 5_000;

const SILENCE =
  'wake-ups of other processes do not arrive, since the database is reached through a pooler: ' +
  'idle workers find jobs by polling; set DATABASE_DIRECT_URL to the server itself';

/**
 * NOTIFY in a statement of its own: inside the transactions that write many jobs it would make all
 * their commits wait for one another. News that comes while one is on its way goes with the next.
 */
export class PostgresWakeSignal implements StoreWakeSignal {
  readonly #database: Database;
  readonly #channel: string;
  /** Whoever signals hears it from the database as well, and knows it already. */
  readonly #self: string = randomUUID();
  #news: Set<string> | null = null;
  #isRinging = false;
  readonly #leaving: Set<() => Promise<void>> = new Set();

  constructor(database: Database) {
    this.#database = database;
    this.#channel = `pawl_${database.schema}`;
  }

  get silence(): string | null {
    return this.#database.hasSessions ? null : SILENCE;
  }

  wake(types: readonly string[] | null): void {
    if (types?.length === 0) return;
    this.#news ??= new Set();
    for (const type of types ?? [ANY]) this.#news.add(type);
    if (this.#isRinging) return;
    this.#isRinging = true;
    void this.#send();
  }

  /** Has everybody look again who waits for jobs of these types, in this process too. */
  recall(types: readonly string[]): void {
    const values = this.words(types, { isHeardHere: true });
    this.#database.read('SELECT pg_notify($1, $2)', values).catch(() => undefined);
  }

  /** The channel and what is said there; without `isHeardHere` this process takes no notice. */
  words(types: Iterable<string>, { isHeardHere = false } = {}): [channel: string, text: string] {
    const text = [...new Set(types)].join(',');
    const from = isHeardHere ? '' : this.#self;
    return [this.#channel, `${from};${text.length > PAYLOAD_MAX ? ANY : text}`];
  }

  async #send(): Promise<void> {
    while (this.#news !== null) {
      const values = this.words(this.#news);
      this.#news = null;
      // Whoever does not hear it looks by itself.
      await this.#database.read('SELECT pg_notify($1, $2)', values).catch(() => undefined);
    }
    this.#isRinging = false;
  }

  listen(onWake: (types: readonly string[] | null) => void): () => Promise<void> {
    // A session that listens would stay with the pooler, and tell whoever it is lent to.
    if (!this.#database.hasSessions) return async () => undefined;
    const stop = new AbortController();
    const done = this.#hear(onWake, stop.signal);
    const leave = async (): Promise<void> => {
      stop.abort();
      this.#leaving.delete(leave);
      await done;
    };
    this.#leaving.add(leave);
    return leave;
  }

  /** A line that breaks is opened again: what was signalled meanwhile is found by looking. */
  async #hear(
    onWake: (types: readonly string[] | null) => void,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      const client = this.#database.clientApart();
      const ended = new Promise<void>((resolve) => {
        client.on('end', () => resolve());
        client.on('error', () => resolve());
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      client.on('notification', ({ payload = '' }) => {
        const [from, text = ANY] = payload.split(';');
        if (from !== this.#self) onWake(typesIn(text));
      });
      await this.#open(client, () => onWake(null), ended);
      await client.end().catch(() => undefined);
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #open(client: Client, onOpen: () => void, ended: Promise<void>): Promise<void> {
    try {
      await client.connect();
      await client.query(`LISTEN ${quoteName(this.#channel)}`);
      onOpen();
      await ended;
    } catch {
      // The database is away: it is tried again.
    }
  }

  /** Whether news is really heard: says something by the pool, and listens for it. */
  async probe(): Promise<boolean> {
    if (!this.#database.hasSessions) return false;
    const channel = `probe_${randomUUID().replaceAll('-', '')}`;
    const client = this.#database.clientApart();
    const heard = new Promise<boolean>((resolve) => {
      client.on('notification', () => resolve(true));
      client.on('error', () => resolve(false));
    });
    const stop = new AbortController();
    try {
      await client.connect();
      await client.query(`LISTEN ${quoteName(channel)}`);
      await this.#database.read('SELECT pg_notify($1, $2)', [channel, '']);
      return await Promise.race([heard, sleep(PROBE_MS, false, { signal: stop.signal })]);
    } catch {
      return false;
    } finally {
      stop.abort();
      await client.end().catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#leaving].map((leave) => leave()));
  }
}

function typesIn(text: string): readonly string[] | null {
  const types = text.split(',');
  return types.includes(ANY) ? null : types;
}
