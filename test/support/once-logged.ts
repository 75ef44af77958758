// What is true once something is in a tenant's log: asked again after every entry of it.
import { tenantTopic } from 'pawl/internal/engine/live/live-hub';
import type { Engine } from 'pawl/internal/engine/engine';

const TIMEOUT_MS = 60_000;

/** The first value of `look` that is neither false, null nor undefined; fails with `what`. */
export async function onceLogged<Value>(
  { live }: Pick<Engine, 'live'>,
  { tenant, what }: { tenant: string; what: string },
  look: () => Value | Promise<Value>,
): Promise<NonNullable<Exclude<Value, false>>> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const watch = await live.watch(tenantTopic(tenant));
  try {
    for (;;) {
      watch.reset();
      const value = await look();
      if (value !== false && value !== null && value !== undefined) {
        return value as NonNullable<Exclude<Value, false>>;
      }
      if (signal.aborted) throw new Error(`not within ${TIMEOUT_MS} ms: ${what}`);
      await watch.wait(TIMEOUT_MS, signal);
    }
  } finally {
    watch.close();
  }
}
