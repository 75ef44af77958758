// Jobs that a test leads by the hand: loaded by the platform, and by the test that gives the turns.
import { Type } from 'typebox';
import { defineJob } from 'pawl/internal/handler/define-job';
import { fail } from 'pawl/internal/handler/failure';
import { typed } from 'pawl/internal/handler/schema';
import { fromTypebox } from 'pawl/internal/handler/typebox';
import { distributed } from 'pawl/internal/lifecycles/distributed';
import { Turns } from './turns.ts';

export const turns: Turns = new Turns();

interface Errand {
  readonly fault?: string;
}

/** Two stages; each goes on at a turn. */
export const paint = defineJob('paint', {
  input: typed<{ readonly message?: string }>(),
  stages: [
    { name: 'sketching', min: 0, max: 40 },
    { name: 'colouring', min: 40, max: 100 },
  ],
  async run({ input, stage, signal }) {
    await stage('sketching', async ({ progress }) => {
      progress(0.5, input.message ?? 'the outline');
      await turns.take(signal);
    });
    await stage('colouring', async ({ progress }) => {
      progress(0.5, 'the sky');
      await turns.take(signal);
    });
    return { colours: 3 };
  },
});

/** Fails for good where its input says so. */
export const errand = defineJob('errand', {
  lifecycle: distributed,
  input: typed<Errand>(),
  onExhausted: 'dead_lettered',
  dlq: 'failed',
  run({ input, log }) {
    log(`asked for ${JSON.stringify(input)}`);
    if (input.fault !== undefined) log.error(`gives up: ${input.fault}`);
    if (input.fault !== undefined) throw fail('PermanentError', input.fault, { code: 'NO_WAY' });
    return { isDone: true };
  },
});

/** Fails for good where its input says so, and leaves no dead letter. */
export const chore = defineJob('chore', {
  input: typed<Errand>(),
  fatal: ['Refused'],
  run({ input }) {
    if (input.fault !== undefined) throw fail('Refused', input.fault);
    return { isDone: true };
  },
});

/** While it is on, every delivery fails; who ends it has mended the cause. */
export const outage: { isOn: boolean } = { isOn: false };

/** Fails for good as long as there is an outage, whatever its input. */
export const delivery = defineJob('delivery', {
  input: typed<object>(),
  fatal: ['Unreachable'],
  run() {
    if (outage.isOn) throw fail('Unreachable', 'the mail server refuses the connection');
    return { isDelivered: true };
  },
});

/** Waits for three jobs, for very many, and for somebody to say yes, or a day. */
export const parade = defineJob('parade', {
  input: typed<{ readonly many: number }>(),
  async run({ input, call, callAll, first, receive, sleep }) {
    await call('lead', chore, {});
    const errands = [{}, { fault: 'the bridge is closed' }, {}];
    await callAll('errands', chore, errands, {
      key: (_, index) => `stop-${index + 1}`,
      onFailure: 'collect',
    });
    const numbers = Array.from({ length: input.many }, () => ({}));
    await Promise.all([
      callAll('crowd', chore, numbers, { key: (_, index) => index, delay: '1d' }),
      first('answer', { said: receive('approve'), late: sleep('1d') }),
    ]);
    return { isOver: true };
  },
});

/** Waits for an answer of a shape. */
export const inquiry = defineJob('inquiry', {
  input: typed<string>(),
  run: ({ receive }) =>
    receive(
      'opinion',
      fromTypebox(
        Type.Object({
          agrees: Type.Boolean({ title: 'Do you agree?' }),
          stars: Type.Integer({ minimum: 1, maximum: 5 }),
          mood: Type.Union([Type.Literal('good'), Type.Literal('bad')]),
        }),
      ),
    ),
});

interface Exhibit {
  readonly files: readonly {
    readonly name: string;
    readonly contentType: string;
    readonly base64: string;
  }[];
  readonly result?: unknown;
  readonly lines?: readonly string[];
}

/** Leaves the files that its input names, and says what it is told to. */
export const exhibit = defineJob('exhibit', {
  input: typed<Exhibit>(),
  expose: { title: 'Exhibit', description: 'Leaves the files that its input names.' },
  async run({ input, artifact, log, tokens }) {
    for (const line of input.lines ?? []) {
      log(line);
      tokens(line);
    }
    for (const { name, contentType, base64 } of input.files) {
      await artifact(name, Buffer.from(base64, 'base64'), { contentType });
    }
    return input.result ?? null;
  },
});
