import { defineJob } from 'pawl';
import { z } from 'zod';

/** Welcomes a new user. What fails is tried again, and a finished stage is not repeated. */
export const welcome = defineJob('welcome', {
  input: z.object({ email: z.email() }),
  maxAttempts: 5,
  backoff: '10s',
  async run({ input, stage, log }) {
    const text = await stage('write', () => `Welcome, ${input.email}!`);
    await stage('send', () => log(`send to ${input.email}: ${text}`)); // your mail server here
    return { sentTo: input.email };
  },
});

/** Runs every night: see schedules.ts. */
export const cleanUp = defineJob('clean-up', {
  run: ({ log }) => log('nothing to clean up yet'),
});

export const jobs = [welcome, cleanUp];
