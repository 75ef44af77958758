import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { JobJson } from 'pawl/internal/contract/job';
import { requireSuccess, watchJob } from 'pawl/internal/cli/commands/watch';
import { openSession, type Session } from 'pawl/internal/cli/session';
import { stopSignal } from 'pawl/internal/settings/stop-signal';
import { DemoServer, freePort } from './demo-server.ts';

const PAGES = 24;
const KILL_AT = 8;
const PORT = 8080;

interface DemoOptions {
  readonly port: string;
  readonly yes?: boolean;
}

interface Scene {
  readonly session: Session;
  readonly server: DemoServer;
  /** Nobody is asked anything, and it ends by itself. */
  readonly isAlone: boolean;
}

function say({ session: { screen } }: Scene, title: string, ...lines: string[]): void {
  screen.talk(`\n${screen.paint('bold', title)}`);
  for (const line of lines) screen.talk(`  ${line}`);
}

async function retries(scene: Scene): Promise<void> {
  const { session, server } = scene;
  const job = await session.client.enqueue({ type: 'demo-payment', input: { amount: 42 } });
  say(
    scene,
    '1. Retries',
    'A payment whose bank does not answer twice. Its policy: five attempts, a second apart.',
    `${server.url}/#/jobs/${job.id}`,
  );
  requireSuccess(await watchJob(session, job.id));
}

/** Follows a job until it has kept so many pages. */
async function untilPage({ session }: Scene, id: string, page: number): Promise<void> {
  for await (const item of session.client.events(id)) {
    const progress = item.kind === 'event' ? item.event.progress : 0;
    if (progress >= (100 * page) / PAGES) return;
  }
}

async function kill(scene: Scene): Promise<void> {
  const { session, server } = scene;
  const { client, screen } = session;
  const job = await client.enqueue({ type: 'demo-printing', input: { pages: PAGES } });
  say(
    scene,
    '2. kill -9',
    `${PAGES} pages are printed one by one; each is a checkpoint. After page ${KILL_AT} the whole`,
    'platform, server and worker, is killed.',
    `${server.url}/#/jobs/${job.id}`,
  );
  await untilPage(scene, job.id, KILL_AT);
  const { pid } = server;
  await server.kill();
  screen.talk(screen.paint('red', `  kill -9 ${pid}: nothing runs any more. Starting it again…`));
  await server.start();
  screen.talk(
    screen.paint('green', '  It is back. The lease of the lost worker runs out, and then:'),
  );
  requireSuccess(await watchJob(session, job.id));
  const { wentOnAt } = (await client.result(job.id)) as { wentOnAt: number };
  screen.talk(
    `  It continued at page ${wentOnAt} of ${PAGES}: nothing was lost, nothing printed twice.`,
  );
}

/** Waits until the flow waits for the message. */
async function untilAsked({ session }: Scene, id: string): Promise<void> {
  for await (const item of session.client.events(id)) {
    const { waits } = await session.call<{ waits: { message: string | null; isOpen: boolean }[] }>({
      method: 'GET',
      path: `/v1/jobs/${id}/tree`,
    });
    if (waits.some(({ message, isOpen }) => isOpen && message === 'approve')) return;
    if (item.kind === 'event' && item.event.type === 'job_failed') return;
  }
}

/** By Enter here or by the button on the page, whichever comes first. */
async function approve({ session, isAlone }: Scene, id: string): Promise<JobJson> {
  const send = (): Promise<unknown> =>
    session.call({
      method: 'POST',
      path: `/v1/jobs/${id}/messages`,
      body: { name: 'approve', payload: { by: 'demo' }, key: 'demo' },
    });
  if (isAlone) {
    await send();
    return watchJob(session, id);
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const stop = new AbortController();
  const asked = prompt.question('  Press Enter to approve it here: ', { signal: stop.signal });
  asked.then(send).catch(() => undefined);
  const job = await watchJob(session, id);
  stop.abort();
  prompt.close();
  return job;
}

async function flow(scene: Scene): Promise<void> {
  const { session, server } = scene;
  const parts = ['frame', 'wheels', 'saddle'];
  const job = await session.client.enqueue({ type: 'demo-order', input: { parts } });
  say(
    scene,
    '3. A flow with an approval',
    'An order packs its parts at once, each a job, and then waits for a person. Waiting holds no',
    'worker and no memory: it may take days.',
    'Approve it on its page, with the button Send "approve"…',
    `${server.url}/#/jobs/${job.id}`,
  );
  await untilAsked(scene, job.id);
  requireSuccess(await approve(scene, job.id));
}

async function demo({ port, yes = false }: DemoOptions, command: Command): Promise<void> {
  const stopped = stopSignal();
  const isAlone = yes || !process.stdin.isTTY;
  const data = await mkdtemp(join(tmpdir(), 'pawl-demo-'));
  const server = new DemoServer({ port: await freePort(Number(port)), data: join(data, 'data') });
  const session = openSession({ ...command.optsWithGlobals(), url: server.url }, process.env);
  const scene: Scene = { session, server, isAlone };
  try {
    say(scene, 'Starting a platform of its own, on a database in a temporary folder…');
    await server.start();
    say(scene, `Open ${server.url} beside this.`);
    await retries(scene);
    await kill(scene);
    await flow(scene);
    say(scene, 'That was it.', `All of it is in the log: ${server.url}/#/jobs`);
    if (isAlone) return;
    session.screen.talk('\nThe platform stays up for you to look around. Ctrl-C ends it.');
    await stopped;
  } finally {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  }
}

/** `pawl demo`. */
export function addDemo(program: Command): void {
  program
    .command('demo')
    .description(
      'show retries, a job that survives kill -9, and a flow with an approval, in one minute',
    )
    .option('--port <port>', 'port of its dashboard; if taken, any free port', String(PORT))
    .option('--yes', 'approve automatically and exit, without asking')
    .addHelpText('after', '\nIt runs a platform of its own and leaves nothing behind.')
    .action((options: DemoOptions, command: Command) => demo(options, command));
}
