// A line between two parts that can be cut, blocked, slowed down, or lose its answers.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { systemTimers } from 'pawl/internal/core/timers';

export type Trouble =
  /** Every connection is reset, and so is every new one. */
  | { readonly kind: 'cut' }
  /** Connections are accepted and nothing passes; what was sent arrives when it is over. */
  | { readonly kind: 'black hole' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'throttle'; readonly bytesPerSecond: number }
  /** The other end is gone and nobody says so; new connections work. */
  | { readonly kind: 'half-open' }
  /** What is asked arrives; instead of the answer comes a reset. */
  | { readonly kind: 'lost answers' };

type Target = { readonly path: string } | { readonly port: number };

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  isFrozen: boolean;
}

const SLICE_MS = 50;
const never = new AbortController().signal;

export class Link {
  readonly name: string;
  readonly #server: Server;
  readonly #target: Target;
  readonly #pairs: Set<Pair> = new Set();
  #trouble: Trouble | null = null;
  #changed: PromiseWithResolvers<void> = Promise.withResolvers();
  url = '';
  /** How many connections or answers have suffered. */
  harmed = 0;

  constructor(name: string, target: Target) {
    this.name = name;
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (near) =>
      this.#accept(near),
    );
  }

  async open(port: number): Promise<void> {
    this.url = `http://127.0.0.1:${port}`;
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  set trouble(trouble: Trouble | null) {
    this.#trouble = trouble;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    if (trouble?.kind === 'cut') for (const pair of this.#pairs) this.#reset(pair);
    if (trouble?.kind !== 'half-open') return;
    for (const pair of this.#pairs) {
      pair.isFrozen = true;
      this.#drop(pair.far);
      this.harmed += 1;
    }
  }

  async close(): Promise<void> {
    this.trouble = { kind: 'cut' };
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(near: Socket): void {
    // Whoever resets a connection is not asked for the reason.
    near.on('error', () => near.destroy());
    if (this.#trouble?.kind === 'cut') {
      this.harmed += 1;
      reset(near);
      return;
    }
    const far = connect({ ...this.#target, allowHalfOpen: true, noDelay: true });
    far.on('error', () => far.destroy());
    const pair = { near, far, isFrozen: false };
    this.#pairs.add(pair);
    near.once('close', () => this.#end(pair));
    far.once('close', () => pair.isFrozen || reset(near));
    void this.#pump(pair, 'asked');
    void this.#pump(pair, 'answered');
  }

  #end(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.far.destroy();
  }

  #reset(pair: Pair): void {
    this.harmed += 1;
    reset(pair.near);
    this.#drop(pair.far);
  }

  /** A socket of the machine's own has no reset. */
  #drop(far: Socket): void {
    if ('port' in this.#target) reset(far);
    else far.destroy();
  }

  async #pump(pair: Pair, what: 'asked' | 'answered'): Promise<void> {
    const [from, to] = what === 'asked' ? [pair.near, pair.far] : [pair.far, pair.near];
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) {
        if (!(await this.#suffer(pair, what, to, chunk))) return;
        if (!to.destroyed && !to.write(chunk)) await Promise.race([once(to, 'drain'), ended(to)]);
      }
      if (!pair.isFrozen) to.end();
    } catch {
      if (!pair.isFrozen) to.destroy();
    }
  }

  /** True when the chunk may go on its way. */
  async #suffer(pair: Pair, what: string, to: Socket, chunk: Buffer): Promise<boolean> {
    while (this.#trouble?.kind === 'black hole' && !to.destroyed) {
      this.harmed += 1;
      await Promise.race([this.#changed.promise, ended(to)]);
    }
    // Leaving the loop would close the connection, which is just what nobody may see.
    if (pair.isFrozen) await ended(pair.near);
    const trouble = this.#trouble;
    if (trouble?.kind === 'delay') await this.#wait(trouble.ms);
    if (trouble?.kind === 'throttle') {
      const ms = (chunk.length / trouble.bytesPerSecond) * 1_000;
      if (ms > SLICE_MS) await this.#wait(ms);
    }
    if (trouble?.kind !== 'lost answers' || what !== 'answered') return true;
    this.#reset(pair);
    return false;
  }

  async #wait(ms: number): Promise<void> {
    this.harmed += 1;
    await systemTimers.sleep(ms, never);
  }
}

/** One that is saying goodbye cannot be reset any more, and would stay for ever. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

function ended(socket: Socket): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => void socket.once('close', () => resolve()));
}
