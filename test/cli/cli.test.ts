import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { EXIT } from 'pawl/internal/cli/exit-code';
import { branchesOf } from 'pawl/internal/cli/commands/completions';
import { buildProgram } from 'pawl/internal/cli/program';
import { openFixture, type Fixture, runPawl } from './pawl-command.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;

let fixture: Fixture;
before(async () => {
  fixture = await openFixture();
});
after(() => fixture.close());

function linesOf(output: string): unknown[] {
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

async function finishedJob(): Promise<string> {
  const job = await fixture.client.enqueue({ type: 'greet', input: { names: ['Ada'] } });
  await fixture.client.waitForEnd(job.id);
  return job.id;
}

describe('pawl enqueue', () => {
  test('prints the id alone on stdout and the talk on stderr', async () => {
    const { code, stdout, stderr } = await fixture.pawl(['enqueue', 'greet', '-i', '{"names":[]}']);
    assert.equal(code, EXIT.done);
    assert.match(stdout.trimEnd(), UUID);
    assert.match(stderr, /pawl jobs watch/);
  });

  test('takes its input from a file or from standard input, and waits for the result', async () => {
    const file = join(fixture.folder, 'input.json');
    writeFileSync(file, '{"names":["Ada"]}');
    const fromFile = await fixture.pawl(['enqueue', 'greet', '--input', `@${file}`, '--wait']);
    assert.deepEqual(linesOf(fromFile.stdout), ['Hello, Ada!\nYours, Pawl']);
    const words = ['enqueue', 'greet', '--input', '-', '--wait', '60'];
    const fromStdin = await fixture.pawl(words, { input: '{"names":["Bob"]}' });
    assert.deepEqual(linesOf(fromStdin.stdout), ['Hello, Bob!\nYours, Pawl']);
  });

  test('with the same idempotency key twice makes one job', async () => {
    const words = ['enqueue', 'greet', '-i', '{"names":[]}', '--idempotency-key', 'once'];
    const [one, other] = [await fixture.pawl(words), await fixture.pawl(words)];
    assert.equal(one.stdout, other.stdout);
  });

  test('refuses an input for a type that takes none, and does without', async () => {
    const definition = '{"lifecycle":"task","inputSchema":false}';
    await fixture.pawl(['types', 'put', 'tidy', '-d', definition]);
    const refused = await fixture.pawl(['enqueue', 'tidy', '-i', '{}']);
    assert.notEqual(refused.code, EXIT.done);
    assert.match(refused.stderr, /\/input: must be left out: jobs of this type take no input/);
    assert.equal((await fixture.pawl(['enqueue', 'tidy'])).code, EXIT.done);
  });

  test('that waits in vain says so with 124, and the job goes on', async () => {
    const words = ['enqueue', 'greet', '-i', '{"names":[]}', '--wait', '0.05'];
    const { code, stderr } = await fixture.pawl([...words, '--run-at', '2999-01-01T00:00:00.000Z']);
    assert.equal(code, EXIT.timedOut);
    assert.match(stderr, /has not ended/);
  });
});

describe('pawl jobs', () => {
  test('ls lists for people, and as one JSON value a line for programs', async () => {
    const id = await finishedJob();
    const human = await fixture.pawl(['jobs', 'ls', '--type', 'greet', '--phase', 'succeeded']);
    assert.match(human.stdout, /^ID +TYPE +STATE/);
    assert.match(human.stdout, new RegExp(`${id} +greet +succeeded +100 +1/3`));
    const { stdout } = await fixture.pawl(['jobs', 'ls', '--phase', 'succeeded', '--json']);
    const jobs = linesOf(stdout) as { id: string }[];
    assert.ok(jobs.some((job) => job.id === id));
  });

  test('ls searches by time, text and error, and input shows what a job was given', async () => {
    const id = await finishedJob();
    const ids = async (...words: string[]): Promise<string[]> => {
      const { stdout } = await fixture.pawl(['jobs', 'ls', '--json', '--limit', '500', ...words]);
      return stdout === '' ? [] : (linesOf(stdout) as { id: string }[]).map((job) => job.id);
    };
    assert.ok((await ids('--since', '1h', '--text', 'GREET')).includes(id));
    assert.ok(!(await ids('--until', '2001-01-01')).includes(id));
    assert.ok(!(await ids('--error', 'greet')).includes(id));
    const { stdout } = await fixture.pawl(['jobs', 'input', id]);
    assert.deepEqual(JSON.parse(stdout), await fixture.client.input(id));
  });

  test('show draws how a job stands and a timeline of its waits and attempts', async () => {
    const id = await finishedJob();
    const { stdout } = await fixture.pawl(['jobs', 'show', id]);
    assert.match(stdout, /█{30} 100 % {2}succeeded/);
    assert.match(stdout, /pending +━/);
    assert.match(stdout, /running · attempt 1 +━+ +.+ms {2}succeeded/);
  });

  test('events lists the whole history for programs, without heartbeats for people', async () => {
    const id = await finishedJob();
    const brief = (await fixture.pawl(['jobs', 'events', id])).stdout;
    assert.ok(brief.includes('succeeded') && !brief.includes('heartbeat'), brief);
    const { stdout } = await fixture.pawl(['jobs', 'events', id, '--json']);
    const types = (linesOf(stdout) as { type: string }[]).map(({ type }) => type);
    assert.deepEqual(
      types.filter((type) => type !== 'job_heartbeat'),
      ['job_created', 'job_claimed', 'job_stage_entered', 'job_stage_entered', 'job_succeeded'],
    );
  });

  test('watch follows a job to its end, as NDJSON for programs', async () => {
    const job = await fixture.client.enqueue({ type: 'greet', input: { names: [] }, submit: true });
    const { code, stdout } = await fixture.pawl(['jobs', 'watch', job.id, '--json']);
    assert.equal(code, EXIT.done);
    const last = linesOf(stdout).at(-1) as { type?: string; kind?: string; job?: object };
    assert.ok(last.type === 'job_succeeded' || last.kind === 'snapshot');
  });

  test('why answers in a sentence', async () => {
    const type = await fixture.client.putType('unserved', { lifecycle: 'task' });
    const runAt = '2999-01-01T00:00:00.000Z';
    const job = await fixture.client.enqueue({ type: type.type, runAt });
    const { stdout } = await fixture.pawl(['jobs', 'why', job.id]);
    assert.match(stdout, /reason +delayed/);
    assert.match(stdout, /until +in \d+ d/);
  });

  test('cancel ends what nobody runs, and a second time changes nothing', async () => {
    await fixture.client.putType('unserved', { lifecycle: 'task' });
    const { id } = await fixture.client.enqueue({ type: 'unserved' });
    const { stdout } = await fixture.pawl(['jobs', 'cancel', id, '--reason', 'not wanted']);
    assert.match(stdout, new RegExp(`${id} {2}canceled`));
    assert.equal((await fixture.pawl(['jobs', 'cancel', id])).code, EXIT.done);
    const done = await finishedJob();
    assert.equal((await fixture.pawl(['jobs', 'cancel', done])).code, EXIT.conflict);
  });
});

describe('pawl queues, types, lifecycle, keys and dlq', () => {
  test('a queue is paused with a reason and resumed', async () => {
    await finishedJob();
    const words = ['queues', 'pause', 'default', '--reason', 'upgrade'];
    assert.equal((await fixture.pawl(words)).stdout, 'default: paused\n');
    assert.match((await fixture.pawl(['queues'])).stdout, /default +paused/);
    assert.equal((await fixture.pawl(['queues', 'resume', 'default'])).stdout, 'default: open\n');
  });

  test('types are listed, shown and registered', async () => {
    const words = ['types', 'put', 'mail', '-d', '{"lifecycle":"platform"}'];
    assert.equal((await fixture.pawl(words)).code, EXIT.done);
    assert.match((await fixture.pawl(['types'])).stdout, /mail +platform/);
    const { stdout } = await fixture.pawl(['types', 'show', 'mail', '--json']);
    assert.equal((linesOf(stdout)[0] as { lifecycle: string }).lifecycle, 'platform');
  });

  test('a lifecycle is shown as its rows and drawn as a diagram', async () => {
    assert.match((await fixture.pawl(['lifecycle', 'show', 'task'])).stdout, /claim +pending/);
    const { stdout } = await fixture.pawl(['lifecycle', 'diagram', 'document', '--format', 'svg']);
    assert.match(stdout, /^<svg/);
  });

  test('a key is printed once, alone, and can be revoked', async () => {
    const made = await fixture.pawl(['keys', 'create', 'bot', '--roles', 'viewer,producer']);
    assert.match(made.stdout, /^pawl_\w+\n$/);
    const id = made.stderr.match(/key (\w+)/)?.[1] ?? '';
    assert.equal((await fixture.pawl(['keys', 'revoke', id])).code, EXIT.done);
    assert.match((await fixture.pawl(['keys'])).stdout, new RegExp(`${id} +revoked`));
  });

  test('dead letters are listed, shown and replayed with another input', async () => {
    await fixture.client.putType('fragile', { lifecycle: 'distributed' });
    const job = await fixture.client.enqueue({ type: 'fragile', input: 1 });
    const path = `/v1/jobs/${job.id}/dead-letter`;
    const body = { reasonCode: 'validation_failed', message: 'bad' };
    await fixture.client.connection.call({ method: 'POST', path, body });
    const listed = await fixture.pawl(['dlq', 'ls', '--type', 'fragile', '--json']);
    const { id } = linesOf(listed.stdout)[0] as { id: string };
    assert.match((await fixture.pawl(['dlq', 'show', id])).stdout, /reasonCode +validation_failed/);
    const replayed = await fixture.pawl(['dlq', 'replay', id, '--input', '2', '--json']);
    assert.equal((linesOf(replayed.stdout)[0] as { type: string }).type, 'fragile');
  });
});

describe('what a script can rely on', () => {
  test('each kind of failure has an exit code of its own and says what to do next', async () => {
    const nobody = '0198c0de-0000-7000-8000-000000000000';
    const rows: (readonly [string[], number, RegExp])[] = [
      [['jobs', 'show', nobody], EXIT.notFound, /NOT_FOUND/],
      [['enqueue', 'unknown'], EXIT.notFound, /UNKNOWN_TYPE/],
      [['enqueue', 'greet', '--input', '{'], EXIT.usage, /give JSON, @file or -/],
      [['jobs', 'ls', '--limitt', '3'], EXIT.usage, /Did you mean --limit/],
      [['job'], EXIT.usage, /Did you mean jobs/],
      [['jobs', 'ls', '--limit', 'x'], EXIT.usage, /whole number/],
      [['jobs', 'ls', '--since', 'x'], EXIT.usage, /a duration such as 2h/],
      [['jobs', 'ls', '--url', 'nonsense'], EXIT.usage, /not an address/],
    ];
    for (const [words, code, message] of rows) {
      const run = await fixture.pawl(words);
      assert.equal(run.code, code, words.join(' '));
      assert.match(run.stderr, message);
      assert.equal(run.stdout, '', words.join(' '));
    }
  });

  test('a server that is not there is named, with the way out', async () => {
    const { code, stderr } = await runPawl(['jobs', 'ls'], { url: 'http://127.0.0.1:9' });
    assert.equal(code, EXIT.failed);
    assert.match(stderr, /no answer from http:\/\/127\.0\.0\.1:9.*pawl start/s);
  });

  test('colours come only where they are wanted', async () => {
    const plain = await fixture.pawl(['lifecycle', 'ls']);
    const forced = await fixture.pawl(['lifecycle', 'ls'], { env: { FORCE_COLOR: '1' } });
    const refused = await fixture.pawl(['lifecycle', 'ls'], { env: { NO_COLOR: '1' } });
    assert.ok(!plain.stdout.includes('\u001B'));
    assert.ok(forced.stdout.includes('\u001B'));
    assert.ok(!refused.stdout.includes('\u001B'));
  });

  test('every command describes itself and its options', async () => {
    const program = await buildProgram('0.0.0');
    const all = [program];
    for (const command of all) all.push(...command.commands);
    for (const command of all) {
      assert.notEqual(command.description(), '', command.name());
      for (const { description, flags } of command.options) assert.notEqual(description, '', flags);
    }
  });

  test('completions know every command', async () => {
    const paths = branchesOf(await buildProgram('0.0.0')).map(({ words }) => words.join(' '));
    assert.ok(paths.includes('jobs ls') && paths.includes('dlq replay'));
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { stdout } = await fixture.pawl(['completions', shell]);
      assert.match(stdout, /replay/, shell);
    }
  });
});

describe('pawl doctor, workers, schedules, slo, webhooks and config', () => {
  test('doctor finds a platform at rest well, and checks its history', async () => {
    await finishedJob();
    const { code, stdout } = await fixture.pawl(['doctor', '--verify']);
    assert.equal(code, EXIT.done, stdout);
    assert.match(stdout, /✓ durability/);
    assert.match(stdout, /every law was kept/);
  });

  test('workers names who works here and on what', async () => {
    assert.match((await fixture.pawl(['workers'])).stdout, /working .*greet/);
  });

  test('a schedule is put, shown with its next slot, run by hand and removed', async () => {
    const rule = { kind: 'cron', expression: '0 3 * * *', timeZone: 'Europe/Berlin' };
    const definition = { rule, job: { type: 'greet', input: { names: [] } } };
    const words = ['schedules', 'put', 'nightly', '-d', JSON.stringify(definition)];
    assert.match((await fixture.pawl(words)).stdout, /nightly: next 2/);
    assert.match((await fixture.pawl(['schedules'])).stdout, /nightly +on +in .* 0 3 \* \* \*/);
    assert.match((await fixture.pawl(['schedules', 'run', 'nightly'])).stdout, /nightly: job \w/);
    assert.match((await fixture.pawl(['schedules', 'pause', 'nightly'])).stdout, /y: paused$/m);
    assert.match(
      (await fixture.pawl(['schedules', 'history', 'nightly'])).stdout,
      /created by hand/,
    );
    assert.equal((await fixture.pawl(['schedules', 'rm', 'nightly'])).code, EXIT.done);
  });

  test('slo tells how long jobs take', async () => {
    const { code } = await fixture.pawl(['slo', '--json']);
    assert.equal(code, EXIT.done);
  });

  test('a webhook to a private place is refused, with the way out', async () => {
    const { code, stderr } = await fixture.pawl(['webhooks', 'add', 'https://127.0.0.1/hook']);
    assert.equal(code, EXIT.usage);
    assert.match(stderr, /PAWL_OUTGOING_ALLOW/);
  });

  test('config shows each value with where it comes from, and no secret', async () => {
    const env = { DATABASE_URL: 'postgres://me:hidden@db/pawl', PORT: '81' };
    const { stdout } = await fixture.pawl(['config'], { env });
    assert.match(stdout, /PORT +81 +PORT/);
    assert.match(stdout, /DATABASE_URL +••••••/);
    assert.ok(!stdout.includes('hidden'));
  });
});
