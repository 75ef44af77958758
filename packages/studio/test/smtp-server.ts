// The smallest mail server: it keeps what it is sent, and refuses what a test wants refused.
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly content: string;
}

export interface SmtpServer {
  readonly url: string;
  readonly mails: Mail[];
  /** Also those that were refused. */
  readonly tried: Mail[];
  /** The answers to the next ends of data; 250 for all after them. */
  answer(...lines: string[]): void;
}

export async function openSmtpServer(context: TestContext): Promise<SmtpServer> {
  const mails: Mail[] = [];
  const tried: Mail[] = [];
  let answers: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    let from = '';
    let to: string[] = [];
    let rest = '';
    let content: string | null = null;
    const take = (line: string): void => {
      if (content !== null && line !== '.') content += `${line}\r\n`;
      else if (content !== null) {
        const answer = answers.shift() ?? '250 kept';
        tried.push({ from, to, content });
        if (answer.startsWith('2')) mails.push({ from, to, content });
        content = null;
        say(answer);
      } else if (/^EHLO|^HELO/i.test(line)) say('250 tiny');
      else if (/^MAIL FROM:/i.test(line)) {
        [from, to] = [line.slice(10), []];
        say('250 ok');
      } else if (/^RCPT TO:.*nobody/i.test(line)) say('550 no such user');
      else if (/^RCPT TO:/i.test(line)) {
        to.push(line.slice(8));
        say('250 ok');
      } else if (/^DATA/i.test(line)) {
        content = '';
        say('354 go on');
      } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
      else say('250 ok');
    };
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString()).split('\r\n');
      rest = lines.pop()!;
      for (const line of lines) take(line);
    });
    say('220 tiny');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    tried,
    answer: (...lines) => void (answers = lines),
  };
}
