// Jobs of your own: PAWL_JOBS=examples/quick-start/jobs.ts npm start
import { defineJob, task, trusted } from '../../src/index.ts';

interface Greeting {
  readonly names: readonly string[];
}

/** Greets one name after the other; a second attempt goes on where the first one broke off. */
export const greet = defineJob({
  type: 'greet',
  lifecycle: task,
  input: trusted<Greeting>(),
  stages: [
    { name: 'greeting', min: 0, max: 90 },
    { name: 'signing', min: 90, max: 100 },
  ],
  async run({ input, stage }) {
    const lines = await stage('greeting', () => input.names.map((name) => `Hello, ${name}!`));
    return stage('signing', () => [...lines, 'Yours, Pawl'].join('\n'));
  },
});
