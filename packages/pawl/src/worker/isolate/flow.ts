/** What is said about a stream between a handler's thread or process and its worker. */
export type FlowWord =
  /** By the receiver: the next chunk, please; or nothing more. */
  | { readonly kind: 'pull' | 'drop'; readonly flow: number }
  /** By the sender; null after the last. */
  | { readonly kind: 'chunk'; readonly flow: number; readonly chunk: Uint8Array | null }
  | { readonly kind: 'broke'; readonly flow: number; readonly message: string };

type Next = PromiseWithResolvers<Uint8Array | null>;

/**
 * Streams across a line of messages. A chunk goes when it is asked for, so that neither side holds
 * more than one, however fast the other is.
 */
export class Flows {
  readonly #say: (word: FlowWord) => void;
  readonly #sent: Map<number, AsyncIterator<Uint8Array>> = new Map();
  readonly #wanted: Map<number, Next> = new Map();

  constructor(say: (word: FlowWord) => void) {
    this.#say = say;
  }

  send(flow: number, content: AsyncIterable<Uint8Array>): void {
    this.#sent.set(flow, content[Symbol.asyncIterator]());
  }

  async *receive(flow: number): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const next: Next = Promise.withResolvers();
        this.#wanted.set(flow, next);
        this.#say({ kind: 'pull', flow });
        const chunk = await next.promise;
        if (chunk === null) return;
        yield chunk;
      }
    } finally {
      this.#wanted.delete(flow);
      this.#say({ kind: 'drop', flow });
    }
  }

  hear(word: FlowWord): void {
    const { flow } = word;
    switch (word.kind) {
      case 'pull':
        return void this.#next(flow);
      case 'drop':
        return this.#drop(flow);
      case 'chunk':
        return this.#wanted.get(flow)?.resolve(word.chunk);
      case 'broke':
        return this.#wanted.get(flow)?.reject(new Error(word.message));
    }
  }

  /** The other side has gone, or has nothing to say any more. */
  clear(): void {
    for (const flow of this.#sent.keys()) this.#drop(flow);
    for (const { reject } of this.#wanted.values()) reject(new Error('the handler has ended'));
    this.#wanted.clear();
  }

  async #next(flow: number): Promise<void> {
    const source = this.#sent.get(flow);
    if (source === undefined) return;
    try {
      const { done, value } = await source.next();
      // A copy, because a small chunk may be a part of much more memory.
      this.#say({ kind: 'chunk', flow, chunk: done === true ? null : new Uint8Array(value) });
      if (done === true) this.#sent.delete(flow);
    } catch (error) {
      this.#sent.delete(flow);
      const message = error instanceof Error ? error.message : String(error);
      this.#say({ kind: 'broke', flow, message });
    }
  }

  #drop(flow: number): void {
    const source = this.#sent.get(flow);
    this.#sent.delete(flow);
    // What a stream still has to say when nobody listens is nobody's business.
    source?.return?.().catch(() => undefined);
  }
}
