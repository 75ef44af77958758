/** What is asked of every product, each in its own words. */
export interface Product {
  /** One job, durable by the product's own promise when it resolves. */
  enqueue(order: Order): Promise<void>;
  /** All of them in the product's own call for many. */
  enqueueAll(orders: readonly Order[]): Promise<void>;
  /** Starts the product's own worker; it runs until `close`. */
  work(handle: Handle): Promise<void>;
  /** Jobs that have not come to their end yet, as the database has it. */
  left(): Promise<number>;
  close(): Promise<void>;
}

/** A job to be: its number goes into the input, its key only where keys are limited. */
export interface Order {
  readonly page: number;
  readonly key: string | null;
}

/** Does the job's work, which is none; throws where the job is to fail. */
export type Handle = (page: number) => void;

/** Whether jobs that fail are tried again at once, and whether a key's jobs run one at a time. */
export interface Rules {
  readonly isRetried: boolean;
  readonly isKeyed: boolean;
}

/** Where a product finds its database, and how it is set. */
export interface Place {
  readonly product: ProductName;
  /** A PostgreSQL or Redis address, or a file of SQLite. */
  readonly url: string;
  readonly settings: Settings;
  readonly rules: Rules;
  /** Options of Node itself. */
  readonly node: readonly string[];
}

/** Options as the product's own documentation names them. */
export type Settings = Readonly<Record<string, unknown>>;

const OPENERS = {
  pawl: async () => (await import('./products/pawl.ts')).openPawlProduct,
  graphile: async () => (await import('./products/graphile.ts')).openGraphile,
  pgboss: async () => (await import('./products/pg-boss.ts')).openPgBoss,
  bullmq: async () => (await import('./products/bullmq.ts')).openBullmq,
  'bullmq-pg': async () => (await import('./products/bullmq-postgres.ts')).openBullmqPostgres,
  plainjob: async () => (await import('./products/plainjob.ts')).openPlainjob,
};

export type ProductName = keyof typeof OPENERS;

/** Opens a product; its packages are loaded only where it is measured. */
export async function openProduct(place: Place): Promise<Product> {
  const open = await OPENERS[place.product]();
  return open(place);
}
