import assert from 'node:assert/strict';
import { onEveryServer } from '../../../../../test/support/postgres/store-fixture.ts';

await onEveryServer(
  '[R5] a revision and its lane are set once, whatever a verb does',
  async (fixture) => {
    const scene = fixture.scene(await fixture.open());
    const pinned = await scene.enqueue();
    await scene.claimOne({ revisions: { task: { name: 'v1', pin: true } } });
    const free = await scene.enqueue();
    const client = await fixture.connect();
    await client.query(`SET pawl.verb = 'on'`);
    const { rows } = await client.query<{ number: number }>(
      `SELECT number FROM pawl.lanes ORDER BY claim_type`,
    );
    const [plain, lane] = rows.map(({ number }) => number);
    await client.query(
      `INSERT INTO pawl.lanes SELECT 7, tenant, 'other', type, claim_type FROM pawl.lanes
       WHERE number = $1`,
      [lane],
    );
    const refused = async (id: string, set: string, message: RegExp): Promise<void> => {
      const change = client.query(`UPDATE pawl.live SET ${set} WHERE id = $1`, [id]);
      await assert.rejects(change, { code: 'PW001', message }, set);
    };
    await refused(pinned.id, `revision = 'v2'`, /keeps the revision/);
    await refused(pinned.id, 'revision = NULL', /keeps the revision/);
    await refused(pinned.id, `lane = ${plain}`, /keeps its lifecycle, lane and age/);
    await refused(free.id, `lane = ${lane}`, /keeps its lifecycle, lane and age/);
    await refused(free.id, `lane = ${lane}, revision = 'v2'`, /lane and age/);
    await refused(free.id, `lane = 7, revision = 'v1'`, /lane and age/);
    await client.query(`UPDATE pawl.live SET lane = ${lane}, revision = 'v1' WHERE id = $1`, [
      free.id,
    ]);
  },
);
