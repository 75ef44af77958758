import { Type } from 'typebox';
import { defineJob, fromTypebox, openPawl, type Pawl } from 'pawl';

export const report = defineJob('report', {
  input: fromTypebox(Type.Object({ year: Type.Integer({ minimum: 2000 }) })),
  run: ({ input, stage }) => stage('sum', () => `the report of ${input.year}`),
});

// Next loads modules anew while one develops, and each route may have its own copy: what is opened
// once for the whole process is kept where all copies see it.
const shared = globalThis as { pawl?: Promise<Pawl> };

async function open(): Promise<Pawl> {
  const database = process.env['DATABASE'] ?? 'data/pawl.db';
  const pawl = await openPawl({ database, jobs: [report] });
  pawl.work();
  return pawl;
}

export function openJobs(): Promise<Pawl> {
  return (shared.pawl ??= open());
}
