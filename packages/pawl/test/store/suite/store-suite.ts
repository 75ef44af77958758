// One suite for every store: what it says is what the port promises.
import { after, before, describe, test } from 'node:test';
import { ManualClock } from '../../../src/core/clock.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import { builtInLifecycles } from '../../../src/lifecycles/built-in.ts';
import type { Store } from '../../../src/store/store.ts';
import { accessCases } from './access-keys.ts';
import { activeCases } from './active.ts';
import { applyCases } from './apply.ts';
import { applyAndClaimCases, inOneCall } from './apply-and-claim.ts';
import { artifactCases } from './artifacts.ts';
import { claimCases } from './claim.ts';
import { controlCases } from './control.ts';
import { deadLetterCases } from './dead-letters.ts';
import { deadlineCases } from './deadlines.ts';
import { entryCases } from './entries.ts';
import { eventCases } from './events.ts';
import { exactnessCases } from './exactness.ts';
import { fenceCases } from './fences.ts';
import { followerCases } from './followers.ts';
import { guardCases } from './guard.ts';
import { idempotencyCases } from './idempotency.ts';
import { insertCases } from './insert.ts';
import { labelCases } from './labels.ts';
import { limitCases } from './limits.ts';
import { laneCases } from './lanes.ts';
import { measureCases } from './measures.ts';
import { pastCases } from './past.ts';
import { queryCases } from './queries.ts';
import { rateCases } from './rates.ts';
import { recordLeaseCases } from './record-leases.ts';
import { recordListCases } from './record-lists.ts';
import { recordWithJobCases } from './records-with-jobs.ts';
import { recordCases } from './records.ts';
import { registryCases } from './registry.ts';
import { renewCases } from './renew.ts';
import { retentionCases } from './retention.ts';
import { revisionCases } from './revisions.ts';
import { rowCases } from './rows.ts';
import { type Cases, Scene } from './scene.ts';
import { scheduleCases } from './schedules.ts';
import { searchCases } from './search.ts';
import { setCases } from './sets.ts';
import { sweepCases } from './sweeps.ts';
import { tailCases } from './tail.ts';
import { dispatchRuleCases } from './dispatch-rules.ts';
import { uniqueCases } from './unique.ts';
import { wakingSuite } from './waking.ts';
import { wholeCases } from './whole.ts';
import { workerCases } from './workers.ts';

/** Whatever claims or moves holds by either road: by a verb of its own, and by the one for both. */
const CLAIMS: Cases = { ...claimCases, ...laneCases, ...revisionCases };
const MOVES: Cases = { ...applyCases, ...rowCases, ...fenceCases, ...guardCases };
const LIMITS: Cases = { ...limitCases, ...activeCases, ...rateCases, ...dispatchRuleCases };

const GROUPS: Readonly<Record<string, Cases>> = {
  records: { ...recordCases, ...recordLeaseCases, ...recordListCases, ...recordWithJobCases },
  insert: { ...insertCases, ...idempotencyCases, ...wholeCases, ...labelCases },
  sets: setCases,
  claim: CLAIMS,
  apply: MOVES,
  'apply and claim': applyAndClaimCases,
  limits: { ...LIMITS, ...controlCases },
  renew: renewCases,
  sweeps: sweepCases,
  time: { ...scheduleCases, ...deadlineCases, ...uniqueCases },
  artifacts: artifactCases,
  events: { ...eventCases, ...tailCases, ...entryCases, ...followerCases, ...pastCases },
  queries: { ...queryCases, ...searchCases, ...deadLetterCases, ...registryCases },
  access: accessCases,
  workers: workerCases,
  exactness: exactnessCases,
  measures: measureCases,
  retention: retentionCases,
  waking: wakingSuite,
};

export type OpenStore = (options: {
  clock: ManualClock;
  lifecycles: readonly Lifecycle[];
}) => Promise<Store>;

/**
 * Registers the whole suite for one store. It is opened once; each test has its own tenant.
 * `except` has the titles that cannot hold, each with the reason.
 */
export function storeSuite(
  label: string,
  open: OpenStore,
  except: Readonly<Record<string, string>> = {},
): void {
  checkExceptions(except);
  const clock = new ManualClock();
  const lifecycles = builtInLifecycles;
  let store: Store;
  void describe(label, () => {
    before(async () => {
      store = await open({ clock, lifecycles });
    });
    after(() => store.close());
    for (const [group, cases] of Object.entries(GROUPS)) {
      void describe(group, () => {
        for (const [title, show] of Object.entries(cases)) {
          if (title in except) continue;
          void test(title, () => show(new Scene({ store, clock, lifecycles })));
        }
      });
    }
    void describe('claims and moves by the verb for both', () => {
      for (const [title, show] of Object.entries({ ...CLAIMS, ...MOVES, ...LIMITS })) {
        if (title in except) continue;
        void test(title, () => show(new Scene({ store: inOneCall(store), clock, lifecycles })));
      }
    });
  });
}

function checkExceptions(except: Readonly<Record<string, string>>): void {
  const titles = new Set(Object.values(GROUPS).flatMap((cases) => Object.keys(cases)));
  const stray = Object.keys(except).find((title) => !titles.has(title));
  if (stray !== undefined) throw new Error(`no case has the title "${stray}"`);
}
