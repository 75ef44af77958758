import type { Worker } from 'pawl/plugin';
import { providerOfType } from './process-id.ts';

/** Opens a worker for these types that has not started. */
export type OpenProviderWorker = (provider: string, types: readonly string[]) => Worker;

interface Post {
  readonly types: Set<string>;
  worker: Worker;
}

/**
 * A worker for each provider, so that one which dawdles takes no slot from another. A type that is
 * new is served by a new worker in the place of the old one, which finishes what it has.
 */
export class ProviderWorkers {
  readonly #openWorker: OpenProviderWorker;
  readonly #posts: Map<string, Post> = new Map();
  readonly #leaving: Set<Promise<void>> = new Set();
  #isWorking = false;

  constructor(openWorker: OpenProviderWorker) {
    this.#openWorker = openWorker;
  }

  start(): void {
    this.#isWorking = true;
  }

  /** Takes types on that are not served yet. */
  serve(types: readonly string[]): void {
    if (!this.#isWorking) return;
    const news = Map.groupBy(types, (type) => providerOfType(type) ?? '');
    for (const [provider, some] of news) {
      if (provider !== '') this.#serve(provider, some);
    }
  }

  #serve(provider: string, types: readonly string[]): void {
    const post = this.#posts.get(provider);
    const all = new Set([...(post?.types ?? []), ...types]);
    if (post !== undefined && all.size === post.types.size) return;
    const worker = this.#openWorker(provider, [...all]);
    worker.start();
    this.#posts.set(provider, { types: all, worker });
    if (post !== undefined) this.#dismiss(post.worker);
  }

  wake(provider: string): void {
    this.#posts.get(provider)?.worker.wake();
  }

  async stop(): Promise<void> {
    this.#isWorking = false;
    for (const { worker } of this.#posts.values()) this.#dismiss(worker);
    this.#posts.clear();
    await Promise.all(this.#leaving);
  }

  #dismiss(worker: Worker): void {
    const leaving = worker.drain().finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }
}
