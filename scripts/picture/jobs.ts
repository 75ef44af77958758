// What the README's picture shows: a long import, and a payment that fails.
import { setTimeout as pause } from 'node:timers/promises';
import { defineJob, PermanentError, typed } from 'pawl/define';

const ROWS = 40;
const ROW_MS = 200;

/** Reads rows after a finished stage; a checkpoint follows each. */
export const importOrders = defineJob('import-orders', {
  input: typed<{ file: string }>(),
  lease: { ttl: '10s', heartbeat: '1s' },
  async run({ input, stage, signal, log }) {
    await stage('download', async () => log(`downloaded ${input.file}`));
    return stage('import', { from: 0 }, async ({ from, checkpoint, progress }) => {
      log(`importing from row ${from + 1} of ${ROWS}`);
      for (let row = from + 1; row <= ROWS; row++) {
        await pause(ROW_MS, undefined, { signal });
        await checkpoint(row);
        progress(row / ROWS, `row ${row} of ${ROWS}`);
      }
      return { rows: ROWS };
    });
  },
});

function readAnswer(status: number): never {
  throw new PermanentError(`the card was declined (${status})`, {
    cause: new Error('insufficient funds'),
  });
}

function chargeCard(_card: string): void {
  readAnswer(402);
}

export const chargeOrder = defineJob('charge-order', {
  input: typed<{ order: string; card: string }>(),
  run: ({ input }) => chargeCard(input.card),
});
