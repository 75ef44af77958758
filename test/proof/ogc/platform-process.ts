// A platform in a process of its own: `platform-process.ts <data folder> <providers file> [once]`.
// It prints its address, then how much memory it has; with `once` it only opens and closes.
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';
import { silentLog } from 'pawl/internal/engine/context';
import { eventually } from '../../support/eventually.ts';

const [data = '', providers = '', once] = process.argv.slice(2);
const SAMPLE_MS = 50;
const env = {
  PORT: '0',
  PAWL_DATA: data,
  PAWL_OGC_PROVIDERS: providers,
  PAWL_OUTGOING_ALLOW: '127.0.0.1',
};
const platform = await startPlatform(readConfiguration(env), silentLog);
if (once !== undefined) {
  await platform.stop();
  process.exit();
}

const tell = (): false => {
  const rssMb = Math.round(process.memoryUsage.rss() / 1024 / 1024);
  process.stdout.write(`${JSON.stringify({ open: 0, rssMb, url: platform.url })}\n`);
  return false;
};

tell();
process.stdout.write('ready\n');
await eventually('the end by a kill', tell, { timeoutMs: Infinity, everyMs: SAMPLE_MS });
