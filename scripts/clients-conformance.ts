// `npm run clients:conformance -- <driver of a client>`; clients/README.md has the protocol.
import { ApiClient } from 'pawl/client';
import { startDriver } from './clients/driver.ts';
import { startLossyProxy } from './clients/lossy-proxy.ts';
import { scenarios } from './clients/scenarios.ts';
import { startServer } from './clients/server.ts';

const command = process.argv.slice(2);
if (command.length === 0) {
  console.error('usage: npm run clients:conformance -- <program> [arguments]');
  process.exit(2);
}
const server = await startServer();
const proxy = await startLossyProxy(server.url);
const driver = startDriver({ command, url: proxy.url });
const api = new ApiClient({ url: server.url });
let failed = 0;
for (const { name, title, run } of scenarios) {
  try {
    await run({ driver, api, proxy });
    console.log(`ok      ${name}: ${title}`);
  } catch (error) {
    failed++;
    console.log(`not ok  ${name}: ${title}\n        ${String(error)}`);
  }
}
await driver.close();
await proxy.stop();
await server.stop();
console.log(`${scenarios.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
