// The routes of jobs that wait, with bodies that name all members that there are.
import type { Api } from '../../spec/http-fixture.ts';
import { ANY_JSON } from './fields.ts';
import { jobUrlOf, type Target, type WriteRoute } from './write-route.ts';

const TYPE = 'flowing';
const OWNER = { workerId: 'w1', epoch: 1, token: 'token' };
const UNSEEN = [''];

/** A job that is being executed, after what must have gone before. */
function running(verb: string, ...before: readonly [path: string, body: object][]) {
  return async (api: Api): Promise<Target> => {
    await api.put(`/v1/types/${TYPE}`, { lifecycle: 'task' });
    const { url, held: own } = await api.claimed(TYPE);
    await api.post(`${url}/start`, own);
    for (const [path, body] of before) await api.post(`${url}/${path}`, { ...body, ...own });
    return { url: `${url}/${verb}`, own };
  };
}

const SLEEP = { name: 'pause', kind: 'time', delayMs: 60_000 };
const SAID = { name: 'answer', kind: 'message', message: 'approve' };
const SHAPED = { ...SAID, schema: ANY_JSON };
const CHILDREN = { wait: 'parts', items: [{ key: 'a', type: TYPE }] };

function flow(operation: string, open: WriteRoute['open'], bodies: readonly object[]): WriteRoute {
  const all = (): readonly object[] => bodies.map((body) => ({ ...OWNER, ...body }));
  return { operation, method: 'POST', open, bodies: all, unseen: UNSEEN };
}

/** A message that a wait has taken. */
async function taken(api: Api): Promise<Target> {
  const { url, own } = await running('messages')(api);
  const { body } = await api.post(url, { name: 'approve', payload: 1 });
  await api.post(`${jobUrlOf({ url })}/await`, { ...own, waits: [SAID] });
  return { url: `${url}/${encodeURIComponent(body.id as string)}/aside`, own: own! };
}

/** A link that nobody has used. */
async function linked(api: Api): Promise<Target> {
  const { url } = await running('messages/links')(api);
  const { body } = await api.post(url, { name: 'approve' });
  const { pathname, search } = new URL(body.url as string);
  return { url: pathname + search };
}

export const FLOW_ROUTES: readonly WriteRoute[] = [
  flow('spawnChildren', running('children'), [
    {
      wait: 'parts',
      items: [
        {
          key: 'a',
          type: TYPE,
          input: ANY_JSON,
          inputHash: 'hash',
          queue: 'default',
          priority: 5,
          delayMs: 5,
          limitKey: 'limit',
          documentId: 'document',
          metadata: ANY_JSON,
        },
      ],
      offset: 0,
    },
  ]),
  flow('awaitAll', running('await'), [
    { waits: [SLEEP] },
    { waits: [SHAPED] },
    { waits: [{ name: 'either', kind: 'first', members: [{ key: 'late', wait: SLEEP }] }] },
    { waits: [{ name: 'either', kind: 'first', members: [{ key: 'said', wait: SHAPED }] }] },
  ]),
  flow('suspendJob', running('suspend', ['await', { waits: [SLEEP], suspend: false }]), [
    { waits: ['pause'] },
  ]),
  flow('takeResults', running('waits/parts/results', ['children', CHILDREN]), [
    { after: '0', limit: 10 },
  ]),
  flow('makeOwnMessageLink', running('links'), [
    { name: 'approve', value: ANY_JSON, ttlMs: 5_000 },
  ]),
  {
    operation: 'makeMessageLink',
    method: 'POST',
    open: async (api) => ({ url: (await running('messages/links')(api)).url }),
    bodies: () => [{ name: 'approve', value: ANY_JSON, ttlMs: 5_000 }],
    unseen: UNSEEN,
  },
  {
    operation: 'useMessageLink',
    method: 'POST',
    open: linked,
    bodies: () => [{ value: ANY_JSON }],
    unseen: UNSEEN,
  },
  flow('setAside', taken, [{ reason: 'not what was asked for' }]),
  {
    operation: 'sendMessage',
    method: 'POST',
    open: async (api) => ({ url: (await running('messages')(api)).url }),
    bodies: () => [{ name: 'approve', payload: ANY_JSON, key: 'once' }],
    unseen: UNSEEN,
  },
];
