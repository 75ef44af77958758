import assert from 'node:assert/strict';
import type { Client } from 'pg';
import {
  type Lifecycle,
  opensEpoch,
  type Place,
  placeName,
  samePlace,
} from '../../core/lifecycle.ts';
import { isOwned, rankOf } from '../../core/phase.ts';
import { builtInLifecycles } from '../../lifecycles/built-in.ts';
import { onEveryServer } from '../../../test/support/postgres/store-room.ts';

/** Plain SQL by hand: each try is undone, and says with which SQLSTATE it was refused. */
const TRY_ALL = `
CREATE FUNCTION pg_temp.try_all(p_job uuid, p_tries json) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE t record;
BEGIN
  FOR t IN SELECT * FROM json_to_recordset(p_tries)
    AS t(state text, phase smallint, rise int, versions int, owned boolean)
  LOOP
    BEGIN
      UPDATE pawl.jobs j SET state = t.state, phase = t.phase, epoch = j.epoch + t.rise,
        version = j.version + t.versions, gate = NULL,
        lease_owner = CASE WHEN t.owned THEN 'w1' END,
        lease_expiry = CASE WHEN t.owned THEN now() END,
        lease_end = CASE WHEN t.owned THEN now() END WHERE j.id = p_job;
      RAISE EXCEPTION USING ERRCODE = 'ZZ000';
    EXCEPTION WHEN OTHERS THEN RETURN NEXT SQLSTATE;
    END;
  END LOOP;
END $$;`;

const ADD_JOB = `
INSERT INTO pawl.jobs (tenant_id, id, born, type, queue, lifecycle, policy, state, phase, epoch,
  version, notes, priority, run_at, attempts, max_attempts, retry_count, progress, created_at,
  updated_at, input, lease_owner, lease_expiry, lease_end)
SELECT 1, gen_random_uuid(), current_date, 't', 'q', l.id, 1, $2, $3, 5, 9, 0, 0, now(), 1, 3, 0, 0,
  now(), now(), '{}', o, t, t
FROM pawl.lifecycles l, (SELECT $4::text AS o, CASE WHEN $4 <> '' THEN now() END AS t) o
WHERE l.name = $1 RETURNING id`;

interface Try {
  readonly to: Place;
  readonly rise: number;
  readonly versions: number;
}

function everyTry(lifecycle: Lifecycle): Try[] {
  return lifecycle.places.flatMap((to) =>
    [-1, 0, 1, 2].flatMap((rise) => [-1, 0, 1, 2].map((versions) => ({ to, rise, versions }))),
  );
}

function isAllowed(lifecycle: Lifecycle, from: Place, { to, rise, versions }: Try): boolean {
  if (samePlace(from, to) && rise === 0) return versions === 0 || versions === 1;
  return lifecycle.transitions.some(
    (row) =>
      samePlace(row.from, from) &&
      samePlace(row.to, to) &&
      opensEpoch(from, to) === (rise === 1) &&
      rise >= 0 &&
      rise <= 1 &&
      versions === (row.quiet ? 0 : 1),
  );
}

async function addJob(client: Client, lifecycle: string, place: Place): Promise<string> {
  const owner = isOwned(place.phase) ? 'w1' : null;
  const values = [lifecycle, place.state, rankOf(place.phase), owner];
  return (await client.query<{ id: string }>(ADD_JOB, values)).rows[0]!.id;
}

async function tryAll(client: Client, job: string, tries: readonly Try[]): Promise<string[]> {
  const rows = tries.map(({ to, rise, versions }) => ({
    state: to.state,
    phase: rankOf(to.phase),
    rise,
    versions,
    owned: isOwned(to.phase),
  }));
  const text = 'SELECT pg_temp.try_all($1, $2) AS state';
  const answer = await client.query<{ state: string }>(text, [job, JSON.stringify(rows)]);
  return answer.rows.map(({ state }) => state);
}

await onEveryServer(
  '[R4, P7, D11, T4, O1] plain SQL can make every listed move and no other',
  async (room) => {
    await room.open();
    const client = await room.connect();
    await client.query(TRY_ALL);
    for (const lifecycle of builtInLifecycles) {
      const tries = everyTry(lifecycle);
      for (const from of lifecycle.places) {
        const states = await tryAll(client, await addJob(client, lifecycle.name, from), tries);
        for (const [index, one] of tries.entries()) {
          const expected = isAllowed(lifecycle, from, one) ? 'ZZ000' : 'PW001';
          const move = `${lifecycle.name}: ${placeName(from)} → ${placeName(one.to)}`;
          assert.equal(
            states[index],
            expected,
            `${move}, epoch ${one.rise}, version ${one.versions}`,
          );
        }
      }
    }
  },
);

await onEveryServer('a refusal says what was refused, and why', async (room) => {
  await room.open();
  const client = await room.connect();
  const id = await addJob(client, 'document', { state: 'SUCCEEDED', phase: 'succeeded' });
  await assert.rejects(
    client.query(`UPDATE pawl.jobs SET state = 'QUEUED', phase = 1, version = 10 WHERE id = $1`, [
      id,
    ]),
    new RegExp(
      `document v1, job ${id}: SUCCEEDED/5 .* QUEUED/1 .*: nothing leaves a terminal phase`,
    ),
  );
});

await onEveryServer(
  'what a job was born with never changes, by plain SQL neither',
  async (room) => {
    await room.open();
    const client = await room.connect();
    const id = await addJob(client, 'task', { state: 'pending', phase: 'ready' });
    const changes = {
      id: 'gen_random_uuid()',
      tenant_id: '2',
      type: `'other'`,
      created_at: `now() - interval '1 day'`,
      born: 'current_date - 1',
    };
    for (const [column, value] of Object.entries(changes)) {
      const change = client.query(`UPDATE pawl.jobs SET ${column} = ${value} WHERE id = $1`, [id]);
      await assert.rejects(change, { code: 'PW002' }, column);
    }
    const change = client.query(`UPDATE pawl.jobs SET lifecycle = 1 WHERE id = $1`, [id]);
    await assert.rejects(change, { code: 'PW001', message: /a job keeps its lifecycle/ });
  },
);

await onEveryServer(
  'a live job, and an event of a job that is there, cannot be deleted',
  async (room) => {
    const store = await room.open();
    const scene = room.scene(store);
    const job = await scene.running();
    const client = await room.connect();
    await assert.rejects(client.query('DELETE FROM pawl.jobs'), { code: 'PW003' });
    await assert.rejects(client.query('TRUNCATE pawl.jobs'), { code: 'PW003' });
    await assert.rejects(client.query(`UPDATE pawl.events SET actor = 'me'`), { code: 'PW004' });
    await assert.rejects(client.query('DELETE FROM pawl.events'), { code: 'PW004' });
    const { rows } = await client.query<{ name: string }>(
      `SELECT tableoid::regclass::text AS name FROM pawl.events LIMIT 1`,
    );
    const partition = client.query(`UPDATE ${rows[0]!.name} SET actor = 'me'`);
    await assert.rejects(partition, { code: 'PW004' });
    await scene.ask(job, { on: 'succeed' });
    await client.query('DELETE FROM pawl.jobs');
    await client.query('DELETE FROM pawl.events');
  },
);

await onEveryServer('an owner and a lease come and go together', async (room) => {
  const store = await room.open();
  await room.scene(store).running();
  const client = await room.connect();
  for (const column of ['lease_owner', 'lease_expiry']) {
    await assert.rejects(client.query(`UPDATE pawl.jobs SET ${column} = NULL`), { code: '23514' });
  }
});
