// What clients are answered while the database's own answers are lost, against what is stored.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineJob, typed } from 'pawl/define';
import { SeededRandom } from 'pawl/internal/core/random';
import { type ErrorCode, ERRORS } from 'pawl/internal/core/errors';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { AnswerProxy, errorMessage } from '../support/postgres/answer-proxy.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { serve } from '../support/served-pawl.ts';

const ROUNDS = 60;

/** How a failover can end a session; the last is what poolers say while there is no server. */
const FAREWELLS = [
  null,
  errorMessage({ S: 'FATAL', V: 'FATAL', C: '57P01', M: 'terminating connection' }),
  errorMessage({
    S: 'FATAL',
    V: 'FATAL',
    C: '57P02',
    M: 'terminating connection because of a crash',
  }),
  errorMessage({ S: 'ERROR', C: '08P01', M: 'server conn crashed?' }),
];

const job = defineJob('job', { input: typed<{ n: number }>(), run: () => null });

interface Said {
  readonly status: number;
  readonly code?: ErrorCode;
  readonly hint?: string;
}

/** One job, or a batch, with or without a key; all of it gets the same answer. */
async function ask(url: string, marks: readonly string[], key: string | null): Promise<Said> {
  const jobs = marks.map((correlationId, n) => ({ type: 'job', input: { n }, correlationId }));
  const isOne = marks.length === 1;
  const answer = await fetch(`${url}/v1/jobs${isOne ? '' : '/batch'}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === null ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(isOne ? jobs[0] : { jobs }),
  });
  return { status: answer.status, ...((await answer.json()) as object) };
}

test('[R25] what a client is answered is true of what is stored, whenever answers are lost', async (context) => {
  const database = await freshDatabase((await postgresServers()).at(-1)!);
  const proxy = await AnswerProxy.open(database.url);
  const served = await serve(proxy.url, [job], { isWorking: false });
  const { url } = served;
  const store = await openPostgresStore({ url: database.url, lifecycles });
  context.after(async () => {
    await served.close();
    await store.close();
    proxy.close();
    await database.drop();
  });
  const random = new SeededRandom(1);
  const told = new Map<string, Said>();
  for (let round = 0; round < ROUNDS; round++) {
    const size = random.pick([1, 1, 3]);
    const marks = Array.from({ length: size }, (_, index) => `m${round}-${index}`);
    // Any statement of whoever comes first, or the one that stores the jobs.
    void proxy.loseNext(random.pick(['', 'insert_', 'COMMIT']), random.pick(FAREWELLS));
    const said = await ask(url, marks, random.pick([null, `k${round}`]));
    for (const mark of marks) told.set(mark, said);
  }
  const { jobs } = await store.list({ tenant: 'default', limit: 1_000 });
  const stored = new Set(jobs.map(({ correlationId }) => correlationId));
  const answers = new Set<string>();
  for (const [mark, { status, code, hint }] of told) {
    const text = `${mark}, which was answered ${status} ${code}`;
    answers.add(code ?? 'ok');
    if (status < 300) assert.ok(stored.has(mark), `${text}, is not stored`);
    else if (code !== 'OUTCOME_UNKNOWN') assert.ok(!stored.has(mark), `${text}, is stored`);
    if (status >= 300) assert.equal(hint, ERRORS[code!].hint);
  }
  assert.ok(answers.has('OUTCOME_UNKNOWN') && answers.has('ok'), [...answers].join());
});
