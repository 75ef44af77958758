// A small process that owns one test server. It lives exactly as long as the pipe to the process
// that asked for it: when that one ends, however it ends, the server is stopped and removed.
import { startCluster } from './cluster.ts';

const [binFolder] = process.argv.slice(2);
if (binFolder === undefined) throw new Error('usage: keeper.ts <folder of the binaries>');

const orphaned = new Promise<void>((resolve) => {
  process.stdin
    .once('end', resolve)
    .once('error', () => resolve())
    .resume();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve());
});
// The reader of our one line may be gone already; that is what `orphaned` is for.
process.stdout.on('error', () => {});

try {
  const cluster = await startCluster(binFolder);
  process.stdout.write(`${JSON.stringify({ url: cluster.url })}\n`);
  await orphaned;
  await cluster.stop();
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: String(error) })}\n`);
  process.exitCode = 1;
}
process.stdin.destroy();
