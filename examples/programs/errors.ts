import { defineJob, openPawl, typed } from 'pawl';

class CardDeclined extends Error {
  readonly code: string = 'card_declined';
}
class GatewayBusy extends Error {}

const charge = defineJob('charge', {
  input: typed<{ card: string }>(),
  errors: [CardDeclined, GatewayBusy],
  fatal: [CardDeclined],
  backoff: '50ms',
  run({ input, attempt }) {
    if (input.card === 'stolen') throw new CardDeclined('ask the bank');
    if (attempt === 1) throw new GatewayBusy('come back later');
    return `charged at attempt ${attempt}`;
  },
});

const database = process.env['DATABASE_URL'] ?? 'data/jobs.db';
await using pawl = await openPawl({ database, jobs: [charge] });
pawl.work();
const good = await pawl.enqueue(charge, { card: 'gold' });
console.log(await good.result());
const bad = await pawl.enqueue(charge, { card: 'stolen' });
const { error, attempts } = await bad.ended();
console.log(`${error?.class} (${error?.code}): ${error?.message}, attempts: ${attempts}`);
