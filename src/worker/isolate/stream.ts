/** What is said about a stream between a handler's thread or process and its worker. */
export type StreamWord =
  /** By the receiver: the next chunk, please; or nothing more. */
  | { readonly kind: 'pull' | 'drop'; readonly stream: number }
  /** By the sender; null after the last. */
  | { readonly kind: 'chunk'; readonly stream: number; readonly chunk: Uint8Array | null }
  | { readonly kind: 'broke'; readonly stream: number; readonly message: string };

type Next = PromiseWithResolvers<Uint8Array | null>;

/**
 * Streams across a line of messages. A chunk goes when it is asked for, so that neither side holds
 * more than one, however fast the other is.
 */
export class Streams {
  readonly #say: (word: StreamWord) => void;
  readonly #sent: Map<number, AsyncIterator<Uint8Array>> = new Map();
  readonly #wanted: Map<number, Next> = new Map();

  constructor(say: (word: StreamWord) => void) {
    this.#say = say;
  }

  send(stream: number, content: AsyncIterable<Uint8Array>): void {
    this.#sent.set(stream, content[Symbol.asyncIterator]());
  }

  async *receive(stream: number): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const next: Next = Promise.withResolvers();
        this.#wanted.set(stream, next);
        this.#say({ kind: 'pull', stream });
        const chunk = await next.promise;
        if (chunk === null) return;
        yield chunk;
      }
    } finally {
      this.#wanted.delete(stream);
      this.#say({ kind: 'drop', stream });
    }
  }

  hear(word: StreamWord): void {
    const { stream } = word;
    switch (word.kind) {
      case 'pull':
        return void this.#next(stream);
      case 'drop':
        return this.#drop(stream);
      case 'chunk':
        return this.#wanted.get(stream)?.resolve(word.chunk);
      case 'broke':
        return this.#wanted.get(stream)?.reject(new Error(word.message));
    }
  }

  /** The other side has gone, or has nothing to say any more. */
  clear(): void {
    for (const stream of this.#sent.keys()) this.#drop(stream);
    for (const { reject } of this.#wanted.values()) reject(new Error('the handler has ended'));
    this.#wanted.clear();
  }

  async #next(stream: number): Promise<void> {
    const source = this.#sent.get(stream);
    if (source === undefined) return;
    try {
      const { done, value } = await source.next();
      // A copy, because a small chunk may be a part of much more memory.
      this.#say({ kind: 'chunk', stream, chunk: done === true ? null : new Uint8Array(value) });
      if (done === true) this.#sent.delete(stream);
    } catch (error) {
      this.#sent.delete(stream);
      const message = error instanceof Error ? error.message : String(error);
      this.#say({ kind: 'broke', stream, message });
    }
  }

  #drop(stream: number): void {
    const source = this.#sent.get(stream);
    this.#sent.delete(stream);
    // What a stream still has to say when nobody listens is nobody's business.
    source?.return?.().catch(() => undefined);
  }
}
