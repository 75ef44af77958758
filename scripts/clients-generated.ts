// `npm run clients:generated [-- words]`: makes clients of the OpenAPI document, compiles them, and
// runs each through a whole life of a job. Those whose toolchain is missing are left out by name.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generatedClients, missingFor, tryGenerated } from './clients/generated.ts';
import { startServer } from './clients/server.ts';

const words = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), 'pawl-generated-'));
const server = await startServer();
const document = join(work, 'openapi.json');
writeFileSync(document, await (await fetch(`${server.url}/openapi.json`)).text());
const counts = { passed: 0, failed: 0, skipped: 0 };
for (const client of generatedClients) {
  const { name, folder } = client;
  if (words.length > 0 && !words.some((word) => name.includes(word) || folder === word)) continue;
  const missing = missingFor(client);
  if (missing.length > 0) {
    counts.skipped++;
    console.log(`left out  ${name}: ${missing.join(', ')} not installed`);
    continue;
  }
  const problem = await tryGenerated(client, { work, document, url: server.url });
  if (problem === null) {
    counts.passed++;
    console.log(`ok        ${name}`);
  } else {
    counts.failed++;
    console.log(`not ok    ${name}: ${problem}`);
  }
}
await server.stop();
rmSync(work, { recursive: true, force: true });
const { passed, failed, skipped } = counts;
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 ? 0 : 1);
