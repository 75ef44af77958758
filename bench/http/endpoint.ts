/** A job in flight. */
export interface Held {
  readonly id: string;
  readonly owner: string;
  readonly epoch: number;
}

/** The same verbs, whichever way they go in. */
export interface Endpoint {
  /** So many jobs in one call, under a key that nobody used before. */
  enqueue(size: number): Promise<void>;
  claim(owner: string, max: number): Promise<Held[]>;
  complete(held: Held): Promise<void>;
  close(): Promise<void>;
}

export const TYPE = 'bench';
export const TENANT = 'default';

/** Long enough for any run: nothing is renewed. */
export const DEFINITION = {
  lifecycle: 'task',
  lease: { ttlMs: 900_000, heartbeatMs: 300_000 },
} as const;
