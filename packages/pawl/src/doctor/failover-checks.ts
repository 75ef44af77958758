import type { Check } from './checks.ts';
import type { Facts } from './facts.ts';
import { type Found, found, good } from './finding.ts';

/** What a failover of the server has cost, as far as it is known. */
function failovers({ figures: { server } }: Facts): Found[] {
  if (server === null) return [];
  const { failovers: all } = server;
  if (all.length === 0) return [good('no standby has taken over, and no backup was restored')];
  return all.map(({ timeline, at, lastNumber, lostTo }) => {
    const when = new Date(at).toISOString();
    const since = `since ${when}, after entry ${lastNumber}`;
    const what = `the log continues on timeline ${timeline} ${since}`;
    if (lostTo === null) return found('notice', what, 'Nothing, if no reader misses entries.');
    return found(
      'fault',
      `${what}; entries up to ${lostTo}, which readers have seen, are lost`,
      'Compare with what readers of the log have done since. Synchronous replication would not ' +
        'have lost them.',
    );
  });
}

/** Whether a standby that takes over has every job that was accepted. */
function replication({ figures: { server, settings } }: Facts): Found[] {
  if (server === null) return [];
  const { synchronous, all } = server.standbys;
  const commit = settings['synchronous_commit'] ?? '';
  const names = settings['synchronous_standby_names'] ?? '';
  if (names === '') {
    if (all === 0) return [good('no standby follows: there is none that could lack jobs')];
    const message = `${all} standbys follow asynchronously: one of them can lack accepted jobs`;
    return [found('notice', message, 'Set synchronous_standby_names where no job may be lost.')];
  }
  if (commit === 'off' || commit === 'local') {
    const message =
      `synchronous_commit is ${commit}: an answer does not wait for the standbys that ` +
      'synchronous_standby_names lists, so one that takes over can lack accepted jobs';
    return [found('fault', message, 'Set synchronous_commit to on.')];
  }
  if (synchronous === 0) {
    const message = 'no synchronous standby is connected: writes wait until one is';
    return [found('fault', message, 'Start a standby that synchronous_standby_names lists.')];
  }
  return [good(`an answer waits for ${synchronous} synchronous standbys`)];
}

/** Whether the standby that answers lists can be asked, and costs the primary nothing. */
function replica({ figures }: Facts): Found[] {
  if (figures.replica === null) return [];
  const { state, staleMs, staleMsMax, hasFeedback, message } = figures.replica;
  const trouble = {
    ok: null,
    primary: 'the replica follows nobody: it is a primary, and answers nothing',
    otherLog: 'the replica has another log than the primary: it answers nothing',
    unreachable: `the replica cannot be asked (${message}): the primary answers everything`,
  }[state];
  if (trouble !== null) {
    return [found('warning', trouble, 'Set DATABASE_REPLICA_URL to a standby of this primary.')];
  }
  const all: Found[] = [];
  if (hasFeedback) {
    const told = 'hot_standby_feedback is on: readers of the replica keep dead rows on the primary';
    all.push(found('warning', told, 'Set hot_standby_feedback to off on the replica.'));
  }
  if (staleMs === null) {
    const told = `the replica is more than ${staleMsMax} ms behind: the primary answers`;
    all.push(
      found('warning', told, 'Look why it follows slowly, or raise PAWL_REPLICA_STALE_MAX.'),
    );
  }
  return all.length > 0 ? all : [good(`the replica answers lists, at most ${staleMs} ms old`)];
}

/** What can be wrong with servers that take over from each other. */
export const FAILOVER_CHECKS: readonly Check[] = [
  { name: 'failovers', run: failovers },
  { name: 'replication', run: replication },
  { name: 'replica', run: replica },
];
