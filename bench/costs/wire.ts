import pg from 'pg';
import type { Socket } from 'node:net';

/** What went between a process and its database, over all its connections. */
export interface Traffic {
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** How often a process that had been answered spoke again: each costs one way there and back. */
  readonly roundTrips: number;
}

/** A pool whose sockets are watched. */
export class WatchedPool {
  readonly pool: pg.Pool;
  readonly #sockets: Socket[] = [];
  #roundTrips = 0;

  constructor(url: string) {
    this.pool = new pg.Pool({ connectionString: url, max: 8 });
    this.pool.on('connect', (client) => this.#watch(socketOf(client)));
  }

  #watch(socket: Socket): void {
    this.#sockets.push(socket);
    let isAnswered = true;
    socket.on('data', () => (isAnswered = true));
    const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
    socket.write = (...args: unknown[]) => {
      if (isAnswered) this.#roundTrips += 1;
      isAnswered = false;
      return write(...args);
    };
  }

  get traffic(): Traffic {
    const sum = (of: (socket: Socket) => number): number =>
      this.#sockets.reduce((total, socket) => total + of(socket), 0);
    return {
      sentBytes: sum((socket) => socket.bytesWritten),
      receivedBytes: sum((socket) => socket.bytesRead),
      roundTrips: this.#roundTrips,
    };
  }
}

function socketOf(client: pg.PoolClient): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

export function between(before: Traffic, after: Traffic, count: number): Traffic {
  return {
    sentBytes: (after.sentBytes - before.sentBytes) / count,
    receivedBytes: (after.receivedBytes - before.receivedBytes) / count,
    roundTrips: (after.roundTrips - before.roundTrips) / count,
  };
}
