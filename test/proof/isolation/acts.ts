// What sessions do to the same few jobs: the verbs of the store, and what looks after partitions.
import { erasedErrorText, erasedPayloadText } from 'pawl/internal/store/retention';
import { insertWithin } from './late.ts';
import type { Stand } from './ground.ts';
import { REPEATER } from './judge.ts';
import type { Act } from './session.ts';

/** What a session does, made for one race. */
export type MakeAct = (stand: Stand) => Act;

const KEY = { key: 'k', payloadHash: 'h', windowMs: 60_000 };

/** Verbs on jobs. */
export const VERBS: Readonly<Record<string, MakeAct>> = {
  insert: ({ job }) => {
    const own = job('task', { idempotency: KEY });
    return async ({ store }) => store.insert([own]);
  },
  'insert, document': ({ job }) => {
    const own = job('limited', { documentId: 'd' });
    return async ({ store }) => store.insert([own]);
  },
  'caller inserts': ({ job }) => insertWithin(job('task', { idempotency: KEY })),
  claim: ({ scene }) => {
    const request = scene.claimRequest({ owner: 'w2', types: ['task', 'limited'], max: 2 });
    return async ({ store }) => store.claim(request);
  },
  'claim, repeated': ({ scene }) => {
    const named = { owner: REPEATER, requestId: 'r' };
    const request = scene.claimRequest({ ...named, types: ['task'], max: 1 });
    return async ({ store }) => store.claim(request);
  },
  succeed: ({ scene, running }) => {
    const move = scene.move(running, { on: 'succeed' });
    return async ({ store }) => store.apply([move]);
  },
  cancel: ({ scene, running }) => {
    const fence = { kind: 'version', version: running.version } as const;
    const move = scene.move(running, { on: 'cancel', reason: 'no' }, { fence, actor: 'api' });
    return async ({ store }) => store.apply([move]);
  },
  'succeed and claim': ({ scene, limited }) => {
    const move = scene.move(limited, { on: 'succeed' });
    const request = scene.claimRequest({ owner: 'w3', types: ['limited', 'task'], max: 1 });
    return async ({ store }) => store.apply([move], request);
  },
  renew: ({ running: { tenant, id, epoch } }) => {
    const renewal = { tenant, id, epoch, owner: 'w1', progress: 50, checkpoint: '{"a":1}' };
    return async ({ store }) => store.renew([renewal]);
  },
  'renew many': ({ running, limited }) => {
    const renewals = [running, limited].map(({ tenant, id, epoch }) => ({
      tenant,
      id,
      epoch,
      owner: 'w1',
    }));
    return async ({ store }) => store.renew(renewals);
  },
  'give back': ({ scene, lost }) => {
    const fence = { kind: 'expired' } as const;
    const move = scene.move(lost, { on: 'lose' }, { fence, actor: 'system' });
    return async ({ store }) => store.apply([move]);
  },
  'let in':
    () =>
    async ({ store }) =>
      store.due(10),
  erase: ({ ended: { tenant, id, error } }) => {
    const reduced = error && erasedErrorText(JSON.stringify(error));
    const named = '(SELECT t.number FROM pawl.tenants t WHERE t.name = $1)';
    return async ({ client }) => {
      const sql = `SELECT x.n, x.payload::text FROM pawl_verbs_1.texts_of(${named}, $2) x`;
      const { rows } = await client.query<{ n: string; payload: string | null }>(sql, [tenant, id]);
      // A job that a purge has removed has no entries any more, and nothing is erased.
      if (rows.length === 0) return [];
      const erase = `SELECT pawl_verbs_1.erase(${named}, $2, $3, $4, $5) AS erased`;
      const left = rows.map(({ payload }) => payload && erasedPayloadText(payload));
      const ns = rows.map(({ n }) => n);
      return (await client.query(erase, [tenant, id, reduced, ns, left])).rows;
    };
  },
  annotate: ({ scene, ended }) => {
    const annotation = { event: 'job_compensated', cause: null, payload: null } as const;
    const fence = { kind: 'version', version: ended.version } as const;
    const move = scene.move(ended, [], { annotation, fence, actor: 'system' });
    return async ({ store }) => store.apply([move]);
  },
};

/** What retention does, as statements: each in a transaction of its own, as everywhere. */
export const CARE: Readonly<Record<string, MakeAct>> = {
  'make partitions': (stand) => statement(stand, `SELECT pawl.ensure_partitions('1 hour', $1)`),
  'turn the log': (stand) => statement(stand, `SELECT pawl.turn_log('1 hour', $1)`),
  'carry jobs': (stand) => statement(stand, 'SELECT pawl_verbs_1.close_partition($1::int8, 1000)'),
  'close the log': (stand) => statement(stand, 'SELECT pawl_verbs_1.close_log($1::int8)'),
  'close the notes': (stand) => statement(stand, 'SELECT pawl_verbs_1.close_notes($1::int8)'),
  'purge others': (stand) => statement(stand, 'SELECT pawl_verbs_1.purge_other($1::int8, 10)'),
  'forget the tail': (stand) => statement(stand, 'SELECT pawl_verbs_1.forget_tail($1::int8)'),
};

function statement({ cut }: Stand, sql: string): Act {
  return async ({ client }) => (await client.query(sql, [cut])).rows;
}
