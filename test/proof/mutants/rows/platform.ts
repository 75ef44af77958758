import type { RowChange } from './row-change.ts';

/** Rows P. */
export const CHANGES_P: readonly RowChange[] = [
  {
    row: 'P3',
    mistake: 'the key of a job changes with each attempt',
    file: 'src/engine/claim.ts',
    from: 'idempotencyKey: `${job.tenant}/${job.id}`',
    to: 'idempotencyKey: `${job.tenant}/${job.id}/${job.epoch}`',
    tests: 'test/spec/platform.test.ts',
  },
  {
    row: 'P6',
    mistake: 'whoever knows the epoch may write',
    file: 'src/engine/owner.ts',
    from: 'job.epoch === held.epoch && job.owner === held.owner;',
    to: 'job.epoch === held.epoch;',
    tests: 'test/spec/platform.test.ts',
  },
  {
    row: 'P7',
    mistake: 'a fatal error goes past RETRY',
    file: 'src/lifecycles/platform.ts',
    from: "    { on: 'exhaust', from: 'RETRY', to: 'DEAD' },\n",
    to:
      "    { on: 'exhaust', from: 'RETRY', to: 'DEAD' },\n" +
      "    { on: 'fail', from: 'RUNNING', to: 'DEAD' },\n",
    tests: 'src/lifecycles/platform.test.ts',
  },
  {
    row: 'P8',
    mistake: 'a lost job is not recovered',
    file: 'src/lifecycles/platform.ts',
    from: "    { on: 'lose', from: 'RUNNING', to: 'RETRY', when: 'mayRetry' },\n",
    to: '',
    tests: 'src/lifecycles/platform.test.ts',
  },
  {
    row: 'P10',
    mistake: 'a repeated request leaves a stored job where it is',
    file: 'src/engine/enqueue-answer.ts',
    from: "return { kind: 'replayed', job: await submit(context, found, job.actor) };",
    to: "return { kind: 'replayed', job: found };",
    tests: 'test/spec/platform.test.ts',
  },
  {
    row: 'P11',
    mistake: 'retry_count counts attempts',
    file: 'src/lifecycles/record.ts',
    from: 'retry_count: job.retryCount,',
    to: 'retry_count: job.attempts,',
    tests: 'test/spec/platform.test.ts',
  },
  {
    row: 'P13',
    mistake: 'a replay is not linked to the dead job',
    file: 'src/engine/draft-again.ts',
    from: 'parentJobId: parent.id,',
    to: 'parentJobId: null,',
    tests: 'test/spec/platform.test.ts',
  },
  {
    row: 'P15',
    mistake: 'a job that succeeded is queued again',
    file: 'src/lifecycles/platform.ts',
    from: "{ on: 'succeed', from: 'RUNNING', to: 'SUCCESS' }",
    to: "{ on: 'succeed', from: 'RUNNING', to: 'QUEUED' }",
    tests: 'src/lifecycles/platform.test.ts',
  },
];
