import { type Static, Type } from 'typebox';
import {
  defineJob,
  distributed,
  fail,
  fromTypebox,
  isTerminal,
  type JobDefinition,
  ValidationError,
} from 'pawl/define';
import type { JobAccess } from './job-access.ts';
import { CheckSchema, FindingSchema, runChecks } from './qa-checks.ts';

// Holds the result of another job against what is expected of it. Try: pawl enqueue qa -i
// '{"jobId":"<id>","checks":[{"kind":"threshold","path":"/slides","min":1}]}'

const QaInputSchema = Type.Object(
  {
    jobId: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
    checks: Type.Array(CheckSchema, { minItems: 1, maxItems: 100 }),
    failOnFindings: Type.Optional(
      Type.Boolean({ description: 'Whether this job fails when a check does.' }),
    ),
  },
  { additionalProperties: false },
);

const QaResultSchema = Type.Object({
  passed: Type.Boolean(),
  checked: Type.String({ description: 'The type of the job that was looked at.' }),
  findings: Type.Array(FindingSchema),
});

export type QaInput = Static<typeof QaInputSchema>;
export type QaResult = Static<typeof QaResultSchema>;

export interface QaDependencies {
  readonly access: Pick<JobAccess, 'read' | 'resultOf'>;
}

const WAIT_MS = 2_000;

/** Checks over another job's result; it waits for one that has not ended yet. */
export function qaJob({ access }: QaDependencies): JobDefinition<QaInput, QaResult> {
  return defineJob('qa', {
    lifecycle: distributed,
    input: fromTypebox(QaInputSchema),
    result: fromTypebox(QaResultSchema),
    timeout: '1m',
    run: async ({ input, job, snooze }): Promise<QaResult> => {
      const [about] = await access.read([{ tenant: job.tenant, id: input.jobId }]);
      if (!about) {
        const message = `there is no job ${input.jobId}: it may have been removed by retention`;
        throw new ValidationError(message, { code: 'QA_JOB_NOT_FOUND' });
      }
      if (!isTerminal(about.phase)) return snooze(WAIT_MS);
      if (about.phase !== 'succeeded') {
        const message = `job ${about.id} has no result: it ended ${about.state}`;
        throw new ValidationError(message, { code: 'QA_NO_RESULT' });
      }
      const findings = runChecks(await access.resultOf(about), input.checks);
      const passed = findings.every((finding) => finding.passed);
      if (passed || input.failOnFindings !== true) return { passed, checked: about.type, findings };
      const first = findings.find((finding) => !finding.passed)!;
      const message = `the result does not pass: ${first.path || '/'} ${first.message}`;
      throw fail('PermanentError', message, { code: 'QA_FAILED', details: { findings } });
    },
  });
}
