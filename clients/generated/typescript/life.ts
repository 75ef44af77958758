// A whole life of a job with the types that openapi-typescript makes, over openapi-fetch.
import createClient from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

type Claim = components['schemas']['Claim'];

declare const process: { env: Record<string, string | undefined> };
const client = createClient<paths>({ baseUrl: process.env['PAWL_URL'] ?? '' });
const workerId = 'typescript';

function check(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new Error(`not so: ${what}`);
}

async function claim(type: string): Promise<Claim> {
  const body = { workerId, types: [type], max: 1, waitMs: 30_000 };
  const { data } = await client.POST('/v1/claims', { body });
  const [found] = data?.jobs ?? [];
  check(found !== undefined, `a job of ${type} was claimed`);
  return found;
}

const stem = `life.${crypto.randomUUID()}`;
const [parent, child] = [`${stem}.parent`, `${stem}.child`];
for (const type of [parent, child]) {
  const options = { params: { path: { type } }, body: { lifecycle: 'task' } };
  const { error } = await client.PUT('/v1/types/{type}', options);
  check(error === undefined, 'the type is registered');
}

const header = { 'idempotency-key': stem };
const asked = { params: { header }, body: { type: parent, input: { pages: 3 } } };
const first = await client.POST('/v1/jobs', asked);
const again = await client.POST('/v1/jobs', asked);
check(first.data !== undefined && first.data.id === again.data?.id, 'one key makes one job');
const path = { id: first.data.id };
const params = { path };

const held = await claim(parent);
const owner = { workerId, epoch: held.epoch };
const news = { ...owner, progress: 40, checkpoint: { page: 1 }, log: ['page 1'] };
const beat = await client.POST('/v1/jobs/{id}/heartbeat', { params, body: news });
check(beat.data?.progress === 40 && beat.data.cancel === null, 'the heartbeat is answered');
const stage = { params: { path: { ...path, name: 'render' } }, body: { ...owner, result: [1] } };
const kept = await client.POST('/v1/jobs/{id}/stages/{name}', stage);
check(kept.data?.name === 'render', 'the stage is kept');

const items = [{ key: 'a', type: child, input: 7 }];
const spawn = { params, body: { ...owner, wait: 'parts', items, onFailure: 'collect' as const } };
const spawned = await client.POST('/v1/jobs/{id}/children', spawn);
check(spawned.data?.ids.length === 1, 'a child is started');
const waits = [{ name: 'parts', kind: 'children' as const }];
const open = await client.POST('/v1/jobs/{id}/await', { params, body: { ...owner, waits } });
check(open.data?.suspended === true, 'the parent is suspended');

const part = await claim(child);
const done = { workerId, epoch: part.epoch, result: part.input };
const partPath = { params: { path: { id: part.job.id } }, body: done };
check(
  (await client.POST('/v1/jobs/{id}/complete', partPath)).error === undefined,
  'child completes',
);

const back = await claim(parent);
check(back.job.id === path.id && back.epoch > held.epoch, 'the parent is back');
check(JSON.stringify(back.stages) === '{"render":[1]}', 'its stage is kept');
const mine = { workerId, epoch: back.epoch };
const answer = await client.POST('/v1/jobs/{id}/await', { params, body: { ...mine, waits } });
const value = answer.data?.waits[0]?.value;
// The union is told apart by `kind`: the compiler knows `results` from here on.
check(value?.kind === 'children' && value.results[0]?.result === 7, 'the wait has its result');

const stale = { params, body: { ...owner, result: 'stale' } };
const refused = await client.POST('/v1/jobs/{id}/complete', stale);
check(refused.error?.code === 'LEASE_LOST', 'a stale owner is refused');
const end = { params, body: { ...mine, result: { sum: 7 } } };
const ended = await client.POST('/v1/jobs/{id}/complete', end);
check(ended.data?.phase === 'succeeded', 'the job succeeds');
const result = await client.GET('/v1/jobs/{id}/result', { params });
check(JSON.stringify(result.data) === '{"sum":7}', 'its result is read');
console.log('a whole life of a job');
