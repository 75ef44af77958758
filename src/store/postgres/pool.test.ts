import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { freshDatabase } from '../../../test/support/postgres/fresh-database.ts';
import { postgresServers } from '../../../test/support/postgres/servers.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { StoreError } from '../store-error.ts';
import { openPostgresStore } from './store.ts';

/** What a server says to whom it sends away. */
function farewell(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0');
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** Passes everything on, and sends the client away in the same breath as it is let in. */
function inhospitable(near: Socket, path: string): void {
  const far = connect({ path });
  near.on('error', () => far.destroy()).on('close', () => far.destroy());
  far.on('error', () => near.destroy());
  near.pipe(far);
  far.on('data', (answer: Buffer) => {
    // The last message of a greeting: ready, outside of a transaction.
    const isReady = answer.subarray(-6).equals(Buffer.from('Z\0\0\0\x05I', 'latin1'));
    near.write(isReady ? Buffer.concat([answer, farewell()]) : answer);
  });
}

test('a connection that ends as soon as it is made fails a call, not the process', async () => {
  const [server] = await postgresServers();
  const database = await freshDatabase(server!);
  const { pathname, searchParams } = new URL(database.url);
  const path = `${searchParams.get('host')!}/.s.PGSQL.5432`;
  const proxy = createServer((near) => inhospitable(near, path)).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  try {
    const { port } = proxy.address() as AddressInfo;
    const url = `postgres://postgres@127.0.0.1:${port}${pathname}`;
    await assert.rejects(openPostgresStore({ url, lifecycles }), StoreError);
  } finally {
    proxy.close();
    await database.drop();
  }
});
