import { whatIfJson, type WhatIfAsked, type WhatIfJson } from '../contract/what-if.ts';
import { systemClock } from '../core/clock.ts';
import { systemTimers } from '../core/timers.ts';
import { Registry } from '../engine/registry.ts';
import { whatIf } from '../engine/what-if/what-if.ts';
import { builtInLifecycles } from '../lifecycles/built-in.ts';
import { recordsOf } from '../records/records.ts';
import { openStore } from '../settings/open-store.ts';
import { resolveStoreSettings } from '../settings/store-settings.ts';

const JOBS_MAX = 1_000_000;
const LAST_MS = 3_600_000;

/** Plays a stretch of the log of a database, which no server need run on. */
export async function playStore(
  env: NodeJS.ProcessEnv,
  tenant: string | null,
  { from, to, lastMs = LAST_MS, ...changes }: WhatIfAsked,
): Promise<WhatIfJson> {
  const settings = { ...(await resolveStoreSettings(env)), migrate: 'check' as const };
  const { store } = await openStore(settings, builtInLifecycles);
  try {
    const records = recordsOf(store);
    const registry = new Registry({ store, records, clock: systemClock }, builtInLifecycles);
    const end = to === undefined ? await store.now() : Date.parse(to);
    const report = await whatIf(
      { store, records, registry },
      {
        tenant,
        from: from === undefined ? end - lastMs : Date.parse(from),
        to: end,
        jobsMax: JOBS_MAX,
        changes,
        turn: () => systemTimers.turn!(),
      },
    );
    return whatIfJson(report);
  } finally {
    await store.close();
  }
}
