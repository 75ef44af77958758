// A line to a PostgreSQL server on which the answer to one statement is lost after its commit.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What the client gets instead of an answer, before its connection ends; null: nothing. */
export type Farewell = Buffer | null;

/** A message of the server that tells of an error, by the letters of its fields. */
export function errorMessage(fields: Readonly<Record<string, string>>): Buffer {
  const text = Object.entries(fields).map(([letter, value]) => `${letter}${value}\0`);
  const body = Buffer.from(`${text.join('')}\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** The last message of an answer outside of a transaction: what was asked for is committed. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');

interface Wish {
  readonly words: string;
  readonly farewell: Farewell;
  readonly lost: PromiseWithResolvers<void>;
}

export class AnswerProxy {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket> = new Set();
  #wish: Wish | null = null;

  private constructor(server: Server, serverUrl: string) {
    this.#server = server;
    const { username, pathname } = new URL(serverUrl);
    const { port } = server.address() as AddressInfo;
    this.url = `postgres://${username}@127.0.0.1:${port}${pathname}`;
    const host = new URL(serverUrl).searchParams.get('host')!;
    server.on('connection', (near) => this.#join(near, `${host}/.s.PGSQL.5432`));
  }

  /** Before a server that listens on a socket of its machine. */
  static async open(serverUrl: string): Promise<AnswerProxy> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new AnswerProxy(server, serverUrl);
  }

  /** Resolves when the answer to the next statement with these words has come, and is lost. */
  loseNext(words: string, farewell: Farewell): Promise<void> {
    const lost = Promise.withResolvers<void>();
    this.#wish = { words, farewell, lost };
    return lost.promise;
  }

  #join(near: Socket, path: string): void {
    const far = connect({ path });
    for (const socket of [near, far]) this.#sockets.add(socket);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    let asked = '';
    near.on('data', (chunk: Buffer) => {
      asked += chunk.toString('latin1');
      far.write(chunk);
    });
    let held = Buffer.alloc(0);
    far.on('data', (chunk: Buffer) => {
      const wish = this.#wish;
      const isLost = wish !== null && asked.includes(wish.words);
      held = Buffer.concat([held, chunk]);
      const isWhole = held.subarray(-READY.length).equals(READY);
      if (isLost && !isWhole) return;
      if (isLost) {
        this.#wish = null;
        near.end(wish.farewell ?? Buffer.alloc(0));
        wish.lost.resolve();
        return;
      }
      near.write(held);
      held = Buffer.alloc(0);
      if (isWhole) asked = '';
    });
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
