// One reader of a stream on a bare socket: it keeps what it saw as a number, not as text.
import { connect, type Socket } from 'node:net';
import { crc32 } from 'node:zlib';

export interface ReaderOptions {
  readonly port: number;
  readonly path: string;
  readonly key: string;
  /** It asks and then takes nothing. */
  readonly isStalled: boolean;
}

const EVENT = /^data: \{"id":"([0-9a-f-]{36})"/;

/** Events in order, by a checksum over their ids. */
export class Reader {
  readonly #socket: Socket;
  readonly #wanted = Promise.withResolvers<void>();
  readonly #open = Promise.withResolvers<void>();
  #rest = '';
  #until = Infinity;
  count = 0;
  checksum = 0;
  isClosed = false;

  constructor({ port, path, key, isStalled }: ReaderOptions) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      this.isClosed = true;
      this.#wanted.resolve();
      this.#open.resolve();
    });
    const head = `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n`;
    const more = `authorization: Bearer ${key}\r\naccept: text/event-stream\r\n\r\n`;
    this.#socket.write(head + more);
    if (isStalled) {
      this.#socket.pause();
      this.#socket.once('connect', () => this.#open.resolve());
    } else this.#socket.on('data', (chunk: Buffer) => this.#take(chunk.toString('latin1')));
  }

  /** Resolves when the stream has begun, or for a stalled one when it has asked. */
  opened(): Promise<void> {
    return this.#open.promise;
  }

  /** Resolves when it has seen so many events, or its socket is gone. */
  seen(count: number): Promise<void> {
    this.#until = count;
    if (this.count >= count) this.#wanted.resolve();
    return this.#wanted.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) {
      if (line.startsWith('retry:')) this.#open.resolve();
      const id = EVENT.exec(line)?.[1];
      if (id === undefined) continue;
      this.count += 1;
      this.checksum = crc32(id, this.checksum);
    }
    if (this.count >= this.#until) this.#wanted.resolve();
  }
}
