// The guide “Five minutes”, as it is typed there: start, work, enqueue, kill, recover.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { inRepository, repositoryFolder } from '../../scripts/run/repository.ts';
import { ApiClient } from 'pawl/client';
import { eventually } from '../support/eventually.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-five-minutes-'));
const running = new Set<ChildProcess>();
after(async () => {
  for (const child of running) await kill(child);
  rmSync(folder, { recursive: true, force: true });
});

function pawl(words: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(inRepository('bin/pawl'), words, {
    cwd: repositoryFolder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  running.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function startServer(): Promise<string> {
  const env = { PORT: '0', PAWL_DATA: folder, LOG_FORMAT: 'json' };
  const server = pawl(['start'], env);
  for await (const line of createInterface({ input: server.stdout! })) {
    const { url } = JSON.parse(line) as { url?: string };
    if (url !== undefined) return url;
  }
  throw new Error('the server ended before it said where it listens');
}

test('[T31, P4] the job of the five minutes survives its worker and continues where it was', async () => {
  const url = await startServer();
  const client = new ApiClient({ url });
  const words = ['worker', '--jobs', 'examples/quick-start/count.ts'];
  const first = pawl(words, { PAWL_URL: url });
  const { id } = await eventually('the worker has told the server what a count is', () =>
    client.enqueue({ type: 'count', input: { to: 8 } }).catch(() => null),
  );
  for await (const item of client.events(id)) {
    if (item.kind === 'event' && item.event.message?.startsWith('3 of') === true) break;
  }
  await kill(first);
  pawl(words, { PAWL_URL: url });
  const job = await client.waitForEnd(id);
  assert.deepEqual([job.state, job.attempts], ['succeeded', 2]);
});

test('what the guide shows of that job is what is in the repository', () => {
  const code = readFileSync(inRepository('examples/quick-start/count.ts'), 'utf8');
  const shown = code.slice(code.indexOf('export const')).trim();
  const guide = readFileSync(inRepository('docs/guides/learn/five-minutes.md'), 'utf8');
  assert.ok(guide.includes(shown), 'copy examples/quick-start/count.ts into the guide');
});
