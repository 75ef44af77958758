// Requests as bytes, and answers read back from the wire as strictly as a careful client does.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface WireAnswer {
  readonly status: number;
  /** By lower-case names; a header that is given twice is a mistake of the server's. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isLast: boolean;
}

async function socketTo(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** One connection: what is sent, and the answers in their order. */
export class Wire {
  readonly #socket: Socket;
  readonly #chunks: AsyncIterator<Buffer>;
  #text = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  static async open(url: string): Promise<Wire> {
    return new Wire(await socketTo(url));
  }

  send(bytes: string): void {
    if (this.#socket.writable) this.#socket.write(Buffer.from(bytes, 'latin1'));
  }

  /** Nothing more will be sent, and what is answered can still be read. */
  end(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
  }

  async #more(): Promise<boolean> {
    try {
      const { value, done } = await this.#chunks.next();
      if (done !== true) this.#text += value.toString('latin1');
      return done !== true;
    } catch {
      // Reset by the server: nothing more comes.
      return false;
    }
  }

  async #until(isThere: () => boolean): Promise<boolean> {
    while (!isThere()) if (!(await this.#more())) return false;
    return true;
  }

  async #take(length: number): Promise<string> {
    assert.ok(await this.#until(() => this.#text.length >= length), 'the answer was cut');
    const taken = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    return taken;
  }

  async #line(): Promise<string> {
    assert.ok(await this.#until(() => this.#text.includes('\r\n')), 'the answer was cut');
    const line = await this.#take(this.#text.indexOf('\r\n') + 2);
    return line.slice(0, -2);
  }

  async #chunked(): Promise<string> {
    let body = '';
    for (;;) {
      const size = Number.parseInt(await this.#line(), 16);
      body += await this.#take(size);
      assert.equal(await this.#line(), '', 'a chunk has an end');
      if (size === 0) return body;
    }
  }

  /** The next answer; null where the connection was closed without one. */
  async answer(method: string): Promise<WireAnswer | null> {
    if (!(await this.#until(() => this.#text !== ''))) return null;
    const [, version, code] = /^HTTP\/1\.([01]) (\d{3}) /.exec(await this.#line()) ?? [];
    assert.ok(code !== undefined, 'the answer begins with a status line');
    const headers: Record<string, string> = {};
    for (let line = await this.#line(); line !== ''; line = await this.#line()) {
      const [, name = '', value = ''] = /^([\w-]+): ?(.*)$/.exec(line) ?? [];
      assert.notEqual(name, '', line);
      const key = name.toLowerCase();
      assert.ok(!(key in headers), `${key} is given twice`);
      headers[key] = value;
    }
    const status = Number(code);
    if (status === 100) return this.answer(method);
    const isBare = method === 'HEAD' || status === 204 || status === 304;
    const isChunked = headers['transfer-encoding'] === 'chunked';
    const length = Number(headers['content-length'] ?? 0);
    const body = isBare ? '' : isChunked ? await this.#chunked() : await this.#take(length);
    const isLast = version === '0' || headers['connection'] === 'close';
    const bytes = Buffer.from(body, 'latin1');
    const whole = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    return { status, headers, body: whole.toString('utf8'), isLast };
  }

  /** True once the server has closed the connection, with nothing more said. */
  async isClosed(): Promise<boolean> {
    return !(await this.#until(() => this.#text !== ''));
  }
}
