import { defineJob, typed } from 'pawl';

export const report = defineJob('report', {
  input: typed<{ year: number }>(),
  run: ({ input, stage }) => stage('sum', () => `the report of ${input.year}`),
});
