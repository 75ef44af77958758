// Bytes that are hardly HTTP at all, straight to the socket.
import { connect } from 'node:net';

const POST = 'POST /v1/jobs HTTP/1.1\r\nhost: x\r\n';

export const BAD_BYTES: readonly string[] = [
  '\r\n\r\n',
  'GET\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET /\u0000 HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET /v1/jobs HTTP/1.1\r\nhost: x\r\nx: a\r\n folded\r\n\r\n',
  `${POST}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${POST}content-length: 5\r\ncontent-length: 6\r\n\r\n{"a":1`,
  `${POST}content-length: -1\r\n\r\n`,
  `${POST}transfer-encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n`,
  `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
  `GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
  `GET / HTTP/1.1\r\nhost: x\r\n${'x: y\r\n'.repeat(3_000)}\r\n`,
  'GET /v1/jobs/%zz HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET /v1/jobs/../../../etc/passwd HTTP/1.1\r\nhost: x\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n',
  'TRACE / HTTP/1.1\r\nhost: x\r\n\r\n',
  'CONNECT a:1 HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET http://other.invalid/ HTTP/1.1\r\nhost: x\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
];

/** What came back until the socket closed, or for a moment; the status, or null. */
export function sendBytes(port: number, bytes: string, forMs = 1_500): Promise<number | null> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    const end = (): void => {
      socket.destroy();
      const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? [];
      resolve(status === undefined ? null : Number(status));
    };
    socket.setTimeout(forMs, end);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (answer.length > 12) end();
    });
    socket.on('error', end);
    socket.on('close', end);
  });
}
