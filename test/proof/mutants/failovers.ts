// Mistakes in what happens when a standby takes over, planted with those of flows.
import type { FlowChange } from './revisions.ts';

const FAILOVER = 'test/drills/failover.test.ts';
const MISLED = 'test/drills/misled.test.ts';
const ADDRESSES = 'test/drills/addresses.test.ts';
const SWEEPS = 'test/spec/sweeps.test.ts';
const POSTGRES = 'packages/pawl/src/store/postgres';

export const FAILOVER_CHANGES: readonly FlowChange[] = [
  {
    mistake: 'what was learnt of a log that is lost is used on another one',
    file: `${POSTGRES}/sql/marks.sql`,
    from: 'IF v_log = p_log AND (pg_is_in_recovery()',
    to: 'IF true OR v_log = p_log AND (pg_is_in_recovery()',
    tests: FAILOVER,
  },
  {
    mistake: 'a standby that a proxy takes for the primary is believed',
    file: `${POSTGRES}/database.ts`,
    from: 'WHEN pg_is_in_recovery() THEN ${REFUSED_BY_STANDBYS}\n      WHEN',
    to: 'WHEN pg_is_in_recovery() THEN ${isOn}\n      WHEN',
    tests: MISLED,
  },
  {
    mistake: 'every failover resets every cursor',
    file: `${POSTGRES}/log-position.ts`,
    from: 'if (place.n <= last) return kept(place, log, null);',
    to: 'if (place.n > 0) return null;',
    tests: FAILOVER,
  },
  {
    mistake: 'who has read what is lost is not told so',
    file: `${POSTGRES}/log-position.ts`,
    from: 'if (place.seen <= last) return kept(end, log, null);',
    to: 'if (place.seen > 0) return kept(end, log, null);',
    tests: FAILOVER,
  },
  {
    mistake: 'a follower that read what is lost begins with the start of the log',
    file: 'packages/pawl/src/engine/follow/log-follower.ts',
    from: "const to = tail === undefined ? (this.#options.afterReset ?? 'start') : 'kept';",
    to: "const to = this.#options.afterReset ?? 'start';",
    tests: FAILOVER,
  },
  {
    mistake: 'a job is worked on twice at once by a worker that is given it again',
    file: 'packages/pawl/src/worker/runner.ts',
    from: 'const running = older?.supersede() ?? null;',
    to: 'const running = older === null ? null : null;',
    tests: 'test/spec/worker-again.test.ts',
  },
  {
    mistake: 'what failed around an outage slows a type down',
    file: 'packages/pawl/src/engine/sweeps/limits.ts',
    from: 'outage === null ? -Infinity : outage.until + SETTLED_MS;',
    to: 'outage === null ? -Infinity : -SETTLED_MS;',
    tests: SWEEPS,
  },
  {
    mistake: 'a sweeper that begins after an outage takes back what ran out in it',
    file: 'packages/pawl/src/engine/sweeps/sweeper.ts',
    from: 'if (until !== null) this.#outage = { from: -Infinity, until };',
    to: 'if (until === null) this.#outage = null;',
    tests: SWEEPS,
  },
  {
    mistake: 'a lease that ran out in an outage is renewed for who shows no token',
    file: `${POSTGRES}/sql/renew.sql`,
    from: 'OR x.token IS NOT NULL AND j.lease_expiry <= v_back)) IS NOT TRUE',
    to: 'OR j.lease_expiry <= v_back)) IS NOT TRUE',
    tests: `${POSTGRES}/renew.test.ts`,
  },
  {
    mistake: 'a commit that no standby has is taken for a safe one',
    file: `${POSTGRES}/connections.ts`,
    from: '      checkReplicated(client);\n',
    to: '',
    tests: ADDRESSES,
    titles: 'synchronous standby',
  },
  {
    mistake: 'the next address is never tried',
    file: `${POSTGRES}/open-pool.ts`,
    from: '        ring.pass(current);\n        if (tries',
    to: '        if (tries',
    tests: ADDRESSES,
    titles: 'several addresses',
  },
];
