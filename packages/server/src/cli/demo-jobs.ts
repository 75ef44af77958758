// What `pawl demo` runs: retries, work that survives a kill, a flow with an approval.
import { defineJob, fail, typed } from 'pawl';

/** Short, so that a lost worker is noticed within seconds. */
const LEASE = { ttl: '6s', heartbeat: '1s' } as const;
const PAGE_MS = 250;

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

/** Fails twice, as a bank does, and succeeds then. */
export const payment = defineJob('demo-payment', {
  input: typed<{ readonly amount: number }>(),
  maxAttempts: 5,
  backoff: '1s',
  lease: LEASE,
  async run({ input, attempt, log, signal }) {
    await pause(PAGE_MS, signal);
    if (attempt < 3) {
      log.warn(`attempt ${attempt}: the bank does not answer`);
      throw fail('TransientError', 'the bank does not answer', { code: 'BANK_AWAY' });
    }
    log(`charged ${input.amount}`);
    return { charged: input.amount, attempts: attempt };
  },
});

/** Prints page after page and keeps how far it is: who goes on begins there. */
export const printing = defineJob('demo-printing', {
  input: typed<{ readonly pages: number }>(),
  lease: LEASE,
  async run({ input, lastCheckpoint, checkpoint, progress, log, signal }) {
    const first = Number(lastCheckpoint ?? 0) + 1;
    if (first > 1) log(`continues at page ${first}: the pages before it are printed`);
    for (let page = first; page <= input.pages; page++) {
      await pause(PAGE_MS, signal);
      await checkpoint(page);
      progress(page / input.pages, `page ${page} of ${input.pages}`);
    }
    return { pages: input.pages, wentOnAt: first };
  },
});

/** One part of an order. */
export const part = defineJob('demo-part', {
  input: typed<{ readonly name: string }>(),
  lease: LEASE,
  async run({ input, signal }) {
    await pause(4 * PAGE_MS, signal);
    return `${input.name} is packed`;
  },
});

/** Packs its parts at once, and is sent when somebody has said yes. */
export const order = defineJob('demo-order', {
  input: typed<{ readonly parts: readonly string[] }>(),
  lease: LEASE,
  async run({ input, callAll, receive }) {
    await callAll(
      'parts',
      part,
      input.parts.map((name) => ({ name })),
      { key: ({ name }) => name },
    );
    const said = await receive('approve');
    return { packed: input.parts.length, said };
  },
});
