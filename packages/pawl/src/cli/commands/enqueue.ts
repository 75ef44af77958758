import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { inexactFault, inexactNumberIn } from '../../core/exact-number.ts';
import type { EnqueueJson } from '../../contract/enqueue.ts';
import { EXIT, ExitError, UsageError } from '../exit-code.ts';
import { type Given, onServer, type Session } from '../session.ts';
import { requireSuccess, watchJob } from './watch.ts';

interface EnqueueOptions {
  readonly input?: string;
  readonly id?: string;
  readonly queue?: string;
  readonly priority?: string;
  readonly runAt?: string;
  readonly document?: string;
  readonly correlation?: string;
  readonly metadata?: string;
  readonly hold?: boolean;
  readonly idempotencyKey?: string;
  readonly wait?: string | true;
  readonly watch?: boolean;
}

/** JSON as typed, `@file` for a file's, `-` for that of standard input. */
export async function readJson(given: string, option: string): Promise<unknown> {
  let source = given;
  if (given === '-') source = await text(process.stdin);
  else if (given.startsWith('@')) {
    source = await readFile(given.slice(1), 'utf8').catch((error: Error) => {
      throw new UsageError(`${option} names a file that cannot be read: ${error.message}`);
    });
  }
  try {
    const value = JSON.parse(source) as unknown;
    checkNumbers(source, option);
    return value;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = (error as Error).message;
    throw new UsageError(`${option} is not JSON (${why}): give JSON, @file or - for stdin`);
  }
}

/** A number that would be sent as another one. */
function checkNumbers(json: string, option: string): void {
  const inexact = inexactNumberIn(json);
  if (inexact === null) return;
  const place = inexact.pointer === '' ? '' : ` at ${inexact.pointer}`;
  throw new UsageError(`${option}${place}: ${inexactFault(inexact.text)}`);
}

function priorityOf(given: string): EnqueueJson['priority'] {
  if (given === 'normal' || given === 'high') return given;
  const number = Number(given);
  if (Number.isInteger(number)) return number;
  throw new UsageError('--priority takes normal, high or a whole number');
}

async function bodyOf(type: string, options: EnqueueOptions): Promise<EnqueueJson> {
  const { input, id, queue, priority, runAt, document, correlation, metadata } = options;
  return {
    type,
    ...(input === undefined ? {} : { input: await readJson(input, '--input') }),
    ...(id === undefined ? {} : { id }),
    ...(queue === undefined ? {} : { queue }),
    ...(priority === undefined ? {} : { priority: priorityOf(priority) }),
    ...(runAt === undefined ? {} : { runAt }),
    ...(document === undefined ? {} : { documentId: document }),
    ...(correlation === undefined ? {} : { correlationId: correlation }),
    ...(metadata === undefined
      ? {}
      : { metadata: (await readJson(metadata, '--metadata')) as Record<string, unknown> }),
    ...(options.hold === true ? { submit: false } : {}),
  } as EnqueueJson;
}

async function enqueue(session: Session, given: Given<EnqueueOptions>): Promise<void> {
  const { client, screen } = session;
  const { options } = given;
  const { idempotencyKey } = options;
  const body = await bodyOf(given.words[0] ?? '', options);
  const job = await client.enqueue(body, idempotencyKey === undefined ? {} : { idempotencyKey });
  if (options.watch === true) {
    screen.talk(`${job.type}  ${job.id}`);
    return requireSuccess(await watchJob(session, job.id));
  }
  if (options.wait !== undefined) return waitFor(session, job.id, options.wait);
  if (screen.isJson) screen.json(job);
  else {
    screen.data(job.id);
    screen.talk(`${job.state}. Follow it with: pawl jobs watch ${job.id}`);
  }
}

async function waitFor(session: Session, id: string, wait: string | true): Promise<void> {
  const seconds = wait === true ? 24 * 3_600 : Number(wait);
  if (!(seconds > 0)) throw new UsageError('--wait takes seconds');
  const signal = AbortSignal.timeout(seconds * 1_000);
  const { client, screen } = session;
  const job = await client.waitForEnd(id, { signal }).catch(() => null);
  if (job === null || job.completedAt === null) {
    const message = `job ${id} has not ended within ${seconds} s; it is still running or waiting`;
    throw new ExitError(EXIT.timedOut, message);
  }
  requireSuccess(job);
  screen.json(await client.result(id));
}

/** `pawl enqueue`. */
export function addEnqueue(program: Command): void {
  program
    .command('enqueue <type>')
    .description('enqueue a job; when its id is printed, the job is stored durably')
    .option('-i, --input <json>', 'JSON, @file, or - for standard input')
    .option('--id <uuid>', 'the id of the job; default: a new one')
    .option('--queue <queue>', 'the queue; default: that of the type')
    .option('--priority <priority>', 'normal, high or a whole number')
    .option('--run-at <time>', 'not before this time, such as 2030-01-01T12:00:00Z')
    .option('--document <id>', 'id of the document that the job belongs to')
    .option('--correlation <id>', 'correlation id, to find it together with other jobs')
    .option('--metadata <json>', 'JSON kept with the job')
    .option('--hold', 'hold the job until it is submitted')
    .option(
      '--idempotency-key <key>',
      'a repeated request with this key within 24 h returns the same job',
    )
    .option('--wait [seconds]', 'wait until the job has ended, and print the result')
    .option('--watch', 'print its events until it has ended')
    .addHelpText(
      'after',
      `
Examples:
  pawl enqueue greet --input '{"names":["Ada"]}' --watch
  pawl enqueue report --input @data.json --wait 60 > result.json`,
    )
    .action(onServer(enqueue));
}
