import assert from 'node:assert/strict';
import type { Client } from 'pg';
import {
  type Lifecycle,
  opensEpoch,
  type Place,
  placeName,
  samePlace,
} from '../../core/lifecycle.ts';
import { isOwned, isTerminal, rankOf } from '../../core/phase.ts';
import { builtInLifecycles } from '../../lifecycles/built-in.ts';
import {
  onEveryServer,
  type StoreFixture,
} from '../../../../../test/support/postgres/store-fixture.ts';

/**
 * What a faulty verb may try: each try is undone, and says with which SQLSTATE it was refused. A
 * job that ends leaves `live`, so its end is a row of `ended` that says where it came from.
 */
const TRY_ALL = `
CREATE FUNCTION pg_temp.try_all(p_job uuid, p_tries json) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE t record; j record;
BEGIN
  SELECT * INTO j FROM pawl.live WHERE id = p_job;
  FOR t IN SELECT * FROM json_to_recordset(p_tries)
    AS t(state smallint, phase smallint, rise int, versions int, owned boolean)
  LOOP
    BEGIN
      IF t.phase < 5 THEN
        UPDATE pawl.live SET state = t.state, phase = t.phase, epoch = epoch + t.rise,
          version = version + t.versions, gate = NULL, owner = CASE WHEN t.owned THEN 1 END,
          token = CASE WHEN t.owned THEN 1 END,
          lease_expiry = CASE WHEN t.owned THEN now() END WHERE id = p_job;
      ELSE
        INSERT INTO pawl.ended_other (id, completed_at, end_n, tenant, lifecycle, epoch, version,
          from_epoch, from_version, attempts, retry_count, progress, from_state, from_phase, state,
          phase, flags)
        VALUES (p_job, now(), 1, j.tenant, j.lifecycle, j.epoch + t.rise, j.version + t.versions,
          j.epoch, j.version, 1, 0, 0, j.state, j.phase, t.state, t.phase, 1);
      END IF;
      RAISE EXCEPTION USING ERRCODE = 'ZZ000';
    EXCEPTION WHEN OTHERS THEN RETURN NEXT SQLSTATE;
    END;
  END LOOP;
END $$;`;

const ADD_JOB = `
INSERT INTO pawl.live (id, seq, rank_at, run_at, updated_at, tenant, lane, policy, lifecycle, epoch,
  version, notes, attempts, retry_count, priority, progress, state, phase, flags, owner, token,
  lease_expiry)
SELECT gen_random_uuid(), 1, 1, now(), now(), 1, 1, 1, l.number, 5, 9, 0, 1, 0, 0, 0,
  array_position(l.states, $2), $3, 0, o, o, CASE WHEN o IS NOT NULL THEN now() END
FROM pawl.lifecycles l, (SELECT $4::int AS o) o WHERE l.name = $1 RETURNING id`;

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

/** A connection that says of itself that it is a verb: row guards are what is left then. */
async function asVerb(fixture: StoreFixture): Promise<Client> {
  const client = await fixture.connect();
  await client.query(`SET pawl.verb = 'on'`);
  return client;
}

async function addJob(client: Client, lifecycle: string, place: Place): Promise<string> {
  const values = [lifecycle, place.state, rankOf(place.phase), isOwned(place.phase) ? 1 : null];
  return (await client.query<{ id: string }>(ADD_JOB, values)).rows[0]!.id;
}

async function tryAll(
  client: Client,
  { job, tries, states }: { job: string; tries: readonly Try[]; states: readonly string[] },
): Promise<string[]> {
  const rows = tries.map(({ to, rise, versions }) => ({
    state: states.indexOf(to.state) + 1,
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
  '[R4, P7, D11, T4, O1] a verb can make every listed move and no other, whatever is wrong with it',
  async (fixture) => {
    await fixture.open();
    const client = await asVerb(fixture);
    await client.query(TRY_ALL);
    for (const lifecycle of builtInLifecycles) {
      const tries = everyTry(lifecycle);
      const { rows } = await client.query<{ states: string[] }>(
        'SELECT states FROM pawl.lifecycles WHERE name = $1',
        [lifecycle.name],
      );
      for (const from of lifecycle.places.filter(({ phase }) => !isTerminal(phase))) {
        const job = await addJob(client, lifecycle.name, from);
        const states = await tryAll(client, { job, tries, states: rows[0]!.states });
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

await onEveryServer('a refusal says what was refused, and why', async (fixture) => {
  await fixture.open();
  const client = await asVerb(fixture);
  const id = await addJob(client, 'task', { state: 'running', phase: 'executing' });
  await assert.rejects(
    client.query(
      `UPDATE pawl.live SET state = 1, phase = 1, version = 10, owner = NULL, token = NULL,
         lease_expiry = NULL WHERE id = $1`,
      [id],
    ),
    new RegExp(`task v1, job ${id}: running/3 .* pending/1 .*: the pair must increase`),
  );
  const change = client.query(`UPDATE pawl.live SET lane = 2 WHERE id = $1`, [id]);
  await assert.rejects(change, { code: 'PW001', message: /keeps its lifecycle, lane and age/ });
});

/** Everything that Pawl keeps, partitions included. */
async function tablesOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT 'pawl.' || c.relname AS name FROM pg_class c
     WHERE c.relnamespace = 'pawl'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** Names and bookkeeping that no job depends on row by row. */
const OPEN = new Set(
  ['migrations', 'meta', 'tenants', 'lanes', 'owners', 'lifecycles', 'partitions'].map(
    (name) => `pawl.${name}`,
  ),
);

await onEveryServer(
  '[R4, R5, T9] plain SQL writes to no table and no partition of jobs, records and the log',
  async (fixture) => {
    const scene = fixture.scene(await fixture.open());
    await scene.ask(await scene.running(), { on: 'succeed' });
    await scene.running();
    const client = await fixture.connect();
    const tables = (await tablesOf(client)).filter((name) => !OPEN.has(name));
    assert.ok(tables.length > 24, tables.join(' '));
    assert.ok(
      tables.some((name) => /facts_\d/.test(name)),
      tables.join(' '),
    );
    for (const table of tables) {
      for (const sql of [
        `DELETE FROM ${table}`,
        `TRUNCATE ${table}`,
        `INSERT INTO ${table} DEFAULT VALUES`,
      ]) {
        await assert.rejects(client.query(sql), { code: /^PW00[23]$/ }, sql);
      }
    }
    for (const sql of [
      `UPDATE pawl.ended SET result = '1'`,
      'UPDATE pawl.ended SET retry_count = 5, version = 9',
      `UPDATE pawl.live SET lease_expiry = now()`,
      `UPDATE pawl.log SET actor = 'me'`,
    ]) {
      await assert.rejects(client.query(sql), { code: /^PW00[23]$/ }, sql);
    }
  },
);

await onEveryServer(
  '[R5] what has ended and what happened is changed by the verbs that may, and no other',
  async (fixture) => {
    const scene = fixture.scene(await fixture.open());
    await scene.ask(await scene.running(), { on: 'succeed' });
    const client = await asVerb(fixture);
    for (const table of ['facts', 'ended', 'log', 'log_texts', 'annotations']) {
      await assert.rejects(client.query(`DELETE FROM pawl.${table}`), { code: 'PW003' }, table);
    }
    await assert.rejects(client.query(`UPDATE pawl.ended SET result = '1'`), { code: 'PW003' });
  },
);

await onEveryServer('an owner, a token and a lease come and go together', async (fixture) => {
  await fixture.scene(await fixture.open()).running();
  const client = await asVerb(fixture);
  for (const column of ['owner', 'token', 'lease_expiry']) {
    await assert.rejects(client.query(`UPDATE pawl.live SET ${column} = NULL`), { code: '23514' });
  }
});
