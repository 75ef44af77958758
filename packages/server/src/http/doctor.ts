import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { examine } from 'pawl/internal/doctor/checks';
import { worstOf } from 'pawl/internal/doctor/finding';
import { verify, type VerifyStep } from 'pawl/internal/doctor/verify';
import { type App, type Services, type Resource, routes } from './services.ts';
import { findingsOf } from './plugin-checks.ts';
import { requireHome } from './require-home.ts';
import { DiagnosisSchema } from 'pawl/internal/contract/doctor';

function diagnose(app: App, { doctor: deps, pluginChecks }: Services): void {
  app.get(
    '/v1/doctor',
    {
      schema: {
        tags: ['Health'],
        operationId: 'diagnose',
        summary: 'What is wrong with the platform, and what to do',
        response: { 200: DiagnosisSchema },
      },
    },
    async (request) => {
      requireHome(request);
      const [own, others] = await Promise.all([examine(deps), findingsOf(pluginChecks)]);
      const findings = [...own, ...others];
      return { level: worstOf(findings), findings };
    },
  );
}

async function* linesOf(steps: AsyncIterable<VerifyStep>): AsyncGenerator<string> {
  for await (const step of steps) yield `${JSON.stringify(step)}\n`;
}

function verifyAll(app: App, { doctor: deps }: Services): void {
  app.get(
    '/v1/doctor/verify',
    {
      schema: {
        tags: ['Health'],
        operationId: 'verifyHistory',
        summary: 'Check all stored history against the laws',
        description:
          'A line of JSON for each violation, for progress now and then, and one at the end. It ' +
          'reads every job and event that is kept: for large histories it takes its time.',
        response: {
          200: {
            description: 'Newline-delimited JSON.',
            content: { 'application/x-ndjson': { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      requireHome(request);
      return reply.type('application/x-ndjson').send(Readable.from(linesOf(verify(deps))) as never);
    },
  );
}

/** `/v1/doctor`. */
export const doctor: Resource = routes(diagnose, verifyAll);
