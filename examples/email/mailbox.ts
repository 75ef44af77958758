// As much of a mail server as an example needs: it takes mail, and is busy at first.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface Mailbox {
  readonly url: string;
  readonly mails: readonly string[];
  close(): void;
}

interface Room {
  readonly mails: string[];
  busyTimes: number;
}

/** One conversation, by the words of SMTP. */
async function converse(socket: Socket, room: Room): Promise<void> {
  const say = (line: string): boolean => socket.write(`${line}\r\n`);
  say('220 mailbox.example');
  let mail: string[] | null = null;
  for await (const line of createInterface({ input: socket })) {
    if (mail !== null && line !== '.') mail.push(line);
    else if (mail !== null) {
      room.mails.push(mail.join('\n'));
      mail = null;
      say('250 taken');
    } else if (line.startsWith('MAIL') && room.busyTimes > 0) {
      room.busyTimes -= 1;
      say('451 busy, come again later');
    } else if (line.startsWith('DATA')) {
      mail = [];
      say('354 go ahead');
    } else if (line.startsWith('QUIT')) {
      say('221 bye');
      socket.end();
    } else say('250 well');
  }
}

/** Listens on this machine, and refuses as many mails as it is told to before it takes one. */
export async function openMailbox(busyTimes: number): Promise<Mailbox> {
  const room: Room = { mails: [], busyTimes };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    converse(socket, room).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, mails: room.mails, close: () => server.close() };
}
