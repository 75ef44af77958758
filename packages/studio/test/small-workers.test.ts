// index, research, execute and qa jobs, on the distributed lifecycle.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { jobAccess } from '../src/job-access.ts';
import { defineJob, type JobDefinition, typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { createOutgoing } from '@pawl/server/internal/outgoing/outgoing';
import { executeJob, type ExecuteResult } from '../src/small/execute.ts';
import { qaJob, type QaResult } from '../src/small/qa.ts';
import { researchJob, type ResearchResult } from '../src/small/research.ts';
import { indexJob, type IndexResult } from '../src/small/search-index.ts';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { type JobFixture, openJobFixture, resultOf } from './job-fixture.ts';

test('[R32] an index job indexes texts and files, keeps the index, and answers with snippets', async (context) => {
  const fixture = await openJobFixture(context, [indexJob]);
  const assetRef = await fixture.upload(
    'tools.md',
    '# Tools\n\nThe saw cuts timber.',
    'text/markdown',
  );
  const documents = [
    { id: 'harbour', text: 'Ships bring timber to the harbour.\n\nThe crane lifts it.' },
    { id: 'tools', assetRef },
  ];
  const built = await fixture.run('index', { documents, query: 'timber' });
  assert.equal(built.state, 'succeeded', JSON.stringify(built.error));
  const { indexRef, hits, ...counts } = resultOf<IndexResult>(built);
  assert.deepEqual(counts, { documents: 2, passages: 3 });
  assert.deepEqual(hits.map(({ document }) => document).toSorted(), ['harbour', 'tools']);
  const asked = await fixture.run('index', { indexRef, query: 'lifting cranes' });
  const [hit] = resultOf<IndexResult>(asked).hits;
  assert.deepEqual(
    [hit!.document, hit!.place, hit!.snippet],
    ['harbour', 'paragraph 2', 'The «crane» «lifts» it.'],
  );
  const renewed = await fixture.run('index', {
    indexRef,
    documents: [{ id: 'harbour', text: 'Gone.' }],
    query: 'crane',
  });
  assert.deepEqual(resultOf<IndexResult>(renewed).hits, []);
  const wrong = await fixture.run('index', { indexRef: assetRef, query: 'x' });
  assert.deepEqual([wrong.state, wrong.error?.code], ['failed', 'INDEX_INVALID']);
});

async function openSite(context: TestContext): Promise<string> {
  const pages: Record<string, [number, Record<string, string>, string]> = {
    '/ships': [
      200,
      { 'content-type': 'text/html' },
      '<title>Ships</title><h1>Ships</h1><p>Ships are built of steel.</p><script>alert(1)</script>',
    ],
    '/moved': [302, { location: '/ships' }, ''],
    '/inward': [302, { location: 'http://127.0.0.2:9/' }, ''],
    '/film': [200, { 'content-type': 'video/mp4' }, 'x'],
    '/busy': [503, {}, ''],
  };
  const server = createServer((request, response) => {
    const [status, headers, body] = pages[request.url ?? ''] ?? [404, {}, ''];
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a research job', () => {
  async function openResearch(
    context: TestContext,
  ): Promise<{ fixture: JobFixture; site: string }> {
    const place = await openSite(context);
    const outgoing = createOutgoing({ allow: [place] });
    context.after(() => outgoing.close());
    return {
      fixture: await openJobFixture(context, [researchJob({ outgoing })]),
      site: `http://${place}`,
    };
  }

  test('[R32] gathers sources and tells what they say, each sentence with its source', async (context) => {
    const { fixture, site } = await openResearch(context);
    const sources = [
      { url: `${site}/moved` },
      { text: 'Boats are built of wood.', title: 'Boats' },
      { url: `${site}/missing` },
      { url: `${site}/inward` },
      { url: `${site}/film` },
    ];
    const job = await fixture.run('research', { question: 'What are ships built of?', sources });
    assert.equal(job.state, 'succeeded', JSON.stringify(job.error));
    const result = resultOf<ResearchResult>(job);
    assert.match(result.findings, /^Ships are built of steel\. \[1, slide 1\]/);
    assert.doesNotMatch(result.findings, /alert/);
    assert.deepEqual(result.citations[0]!.source, 1);
    assert.deepEqual(
      result.sources.map(({ passages, error }) => [
        passages,
        error?.replace(/http\S+?\d\//, '').split(';')[0],
      ]),
      [
        [1, undefined],
        [1, undefined],
        [0, 'missing answered 404'],
        [0, 'inward: 127.0.0.2 is not a public place of the internet'],
        [0, 'film is video/mp4: upload it and convert it first'],
      ],
    );
  });

  test('[R30, R32] tries again where a source is busy', async (context) => {
    const { fixture, site } = await openResearch(context);
    const job = await fixture.run('research', {
      sources: [{ text: 'A.' }, { url: `${site}/busy` }],
    });
    assert.deepEqual([job.state, job.error?.class], ['queued', 'dependency_unavailable']);
  });
});

describe('an execute job', () => {
  const node = process.execPath;

  async function execute(context: TestContext, input: object, allow = [node]) {
    const fixture = await openJobFixture(context, [executeJob({ allow })]);
    return fixture.run('execute', input);
  }

  test('[R32] runs an allowed command with its arguments and input, without a shell or environment', async (context) => {
    const script =
      'process.stdin.on("data", (data) => console.log(' +
      'process.argv[1], String(data), JSON.stringify(process.env), process.cwd()))';
    const args = ['-e', script, '$(id); *'];
    const job = await execute(context, { command: 'node', args, stdin: 'words' });
    assert.equal(job.state, 'succeeded', JSON.stringify(job.error));
    const { stdout, exitCode } = resultOf<ExecuteResult>(job);
    assert.equal(exitCode, 0);
    assert.match(stdout, /^\$\(id\); \* words \{\} .*pawl-execute-\w+\n$/);
  });

  const refused: [string, object, string, string][] = [
    [
      'a command that nobody allowed',
      { command: 'rm', args: ['-rf', '/nowhere'] },
      'configuration_error',
      'EXECUTE_NOT_ALLOWED',
    ],
    [
      'one that fails',
      { command: 'node', args: ['-e', 'console.error("no"); process.exit(3)'] },
      'PermanentError',
      'EXECUTE_FAILED',
    ],
    [
      'one that takes too long',
      { command: 'node', args: ['-e', 'setInterval(() => {}, 1e9)'], timeoutMs: 300 },
      'permanent_timeout',
      'EXECUTE_TIMEOUT',
    ],
    [
      'one that writes too much',
      { command: 'node', args: ['-e', 'setInterval(() => console.log("x".repeat(99999)), 1)'] },
      'resource_limit_exceeded',
      'EXECUTE_OUTPUT_TOO_LARGE',
    ],
  ];
  for (const [what, input, errorClass, code] of refused) {
    test(`[R30, R32] fails for good with ${what}: ${code}`, async (context) => {
      const { state, error } = await execute(context, input);
      assert.deepEqual([state, error?.class, error?.code], ['failed', errorClass, code]);
    });
  }

  test('says how to allow a command where none is', async (context) => {
    const { error } = await execute(context, { command: 'wc' }, []);
    assert.match(error!.message, /no command is.*PAWL_EXECUTE_ALLOW/);
  });
});

describe('a qa job', () => {
  const made = defineJob('made', {
    run: () => ({ title: 'Harbour', slides: 3, list: [1, 2], evil: 'a'.repeat(40) }),
  });

  async function openQa(
    context: TestContext,
  ): Promise<JobFixture & { jobId: string; work(): Promise<void> }> {
    const fixture = await openJobFixture(context, [made]);
    const qa = qaJob({ access: jobAccess(fixture.world.engine, fixture.access) }) as JobDefinition;
    await fixture.world.putType('qa', typeDefinitionOf(qa));
    const worker = openWorker({ source: fixture.world.engine, jobs: [qa] });
    context.after(() => worker.crash());
    const work = async (): Promise<void> => {
      await worker.poll();
      await worker.idle();
    };
    return { ...fixture, jobId: (await fixture.world.enqueue('made')).id, work };
  }

  test('[R32] waits for a job and holds its result against required members, thresholds, patterns and a schema', async (context) => {
    const fixture = await openQa(context);
    const checks = [
      { kind: 'required', path: '/title' },
      { kind: 'threshold', path: '/slides', min: 1, max: 2 },
      { kind: 'threshold', path: '/list', min: 2 },
      { kind: 'pattern', path: '/title', pattern: '^H' },
      { kind: 'equals', path: '/list/0', value: 1 },
      { kind: 'schema', path: '', schema: { type: 'object', required: ['author'] } },
      { kind: 'required', path: '/author' },
    ];
    const job = await fixture.world.enqueue('qa', { jobId: fixture.jobId, checks });
    await fixture.work();
    assert.equal((await fixture.world.job(job)).state, 'queued');
    await fixture.worker.poll();
    await fixture.worker.idle();
    fixture.world.advance(5_000);
    await fixture.world.sweep();
    await fixture.work();
    const ended = await fixture.world.job(job);
    const { passed, checked, findings } = resultOf<QaResult>(ended);
    assert.deepEqual([passed, checked], [false, 'made']);
    assert.deepEqual(
      findings.map((one) => one.passed),
      [true, false, true, true, true, false, false],
    );
    assert.equal(findings[1]!.message, 'is 3, more than 2');
  });

  test('[R30, R32] fails with a pattern that would take for ever, and where there is no such job', async (context) => {
    const fixture = await openQa(context);
    await fixture.worker.poll();
    await fixture.worker.idle();
    const slow = [{ kind: 'pattern', path: '/evil', pattern: '^(a+)+b$' }];
    const missing = '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e';
    const jobs = [
      await fixture.world.enqueue('qa', { jobId: fixture.jobId, checks: slow }),
      await fixture.world.enqueue('qa', { jobId: missing, checks: slow }),
      await fixture.world.enqueue('qa', {
        jobId: fixture.jobId,
        checks: [{ kind: 'required', path: '/no' }],
        failOnFindings: true,
      }),
    ];
    await fixture.work();
    const errors = await Promise.all(jobs.map(async (job) => (await fixture.world.job(job)).error));
    assert.deepEqual(
      errors.map((error) => [error?.class, error?.code]),
      [
        ['ValidationError', 'QA_TOO_SLOW'],
        ['ValidationError', 'QA_JOB_NOT_FOUND'],
        ['PermanentError', 'QA_FAILED'],
      ],
    );
  });
});
