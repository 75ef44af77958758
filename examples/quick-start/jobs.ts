// Jobs of your own: PAWL_JOBS=examples/quick-start/jobs.ts npm start
import { Type } from 'typebox';
import { defineJob, fromTypebox } from 'pawl';

/** Greets one name after the other; a second attempt goes on where the first one broke off. */
export const greet = defineJob('greet', {
  // Checked when a job is enqueued: a wrong input is refused, with the path of what is wrong.
  input: fromTypebox(Type.Object({ names: Type.Array(Type.String()) })),
  stages: [
    { name: 'greeting', min: 0, max: 90 },
    { name: 'signing', min: 90, max: 100 },
  ],
  async run({ input, stage }) {
    const lines = await stage('greeting', () => input.names.map((name) => `Hello, ${name}!`));
    return stage('signing', () => [...lines, 'Yours, Pawl'].join('\n'));
  },
});
