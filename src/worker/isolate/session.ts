import type { AttemptPort } from '../../handler/attempt-port.ts';
import { JobStop } from '../../handler/stop.ts';
import { failureOf } from '../../handler/thrown-error.ts';
import { Streams } from './stream.ts';
import type { Host } from './host.ts';
import type { Answer, FromChild, Granted, Wish } from './protocol.ts';

/** One attempt in a thread or process: what its handler says and asks, brought to its worker. */
export class Session {
  readonly #host: Host;
  readonly #port: AttemptPort;
  readonly #streams: Streams;

  constructor(host: Host, port: AttemptPort) {
    this.#host = host;
    this.#port = port;
    this.#streams = new Streams((word) => host.say(word));
  }

  hear(message: Exclude<FromChild, { kind: 'ended' | 'late' }>): void {
    if (message.kind === 'tell') for (const report of message.reports) this.#port.tell(report);
    else if (message.kind === 'ask') void this.#answer(message.number, message.wish);
    else this.#streams.hear(message);
  }

  /** Breaks off what is still on its way. */
  close(): void {
    this.#streams.clear();
  }

  async #answer(number: number, wish: Wish): Promise<void> {
    const answer = await this.#grant(number, wish).then(
      (granted): Answer => ({ kind: 'done', granted }),
      (error: unknown): Answer =>
        error instanceof JobStop
          ? { kind: 'stop', stop: error.facts }
          : { kind: 'failure', failure: failureOf(error, null) },
    );
    this.#host.say({ kind: 'answer', number, answer });
  }

  async #grant(number: number, wish: Wish): Promise<Granted> {
    switch (wish.kind) {
      case 'keep':
        await this.#port.keep(wish.write);
        return null;
      case 'put': {
        const { name, contentType } = wish;
        const content = this.#streams.receive(number);
        return this.#port.putArtifact({ name, contentType, content });
      }
      case 'open': {
        const { content, ...artifact } = await this.#port.openArtifact(wish.id);
        this.#streams.send(number, content);
        return artifact;
      }
      case 'flow':
        return this.#port.flow(wish.call);
    }
  }
}
