// A plug-in in one file. Programs elsewhere (a backup, a cron job) say that they are alive; one
// that has been silent for too long is found by `pawl doctor`, counted, shown on a page, and
// becomes a job.
import { defineJob, typed } from 'pawl';
import {
  closed,
  definePlugin,
  defineRoute,
  found,
  good,
  type Plugin,
  type PluginHost,
  type RecordKind,
  type StoredRecord,
  Time,
  timeText,
} from 'pawl/plugin';
import { Type } from 'typebox';

const HEARTBEAT: RecordKind = { name: 'heartbeat' };

const LOOK_MS = {
  name: 'HEARTBEATS_LOOK_MS',
  fallback: '10000',
  sentence: 'How often silent programs are looked for.',
};

/** A webhook that names this type tells somebody. */
const missed = defineJob('heartbeats.missed', {
  input: typed<{ name: string; lastSeenAt: string }>(),
  run: ({ input }) => `${input.name} has been silent since ${input.lastSeenAt}`,
});

const Program = closed({ name: Type.String(), lastSeenAt: Time, isLate: Type.Boolean() });

/** A record is due when the next heartbeat is late, by the database's clock. */
async function lateOnes({ records }: PluginHost): Promise<readonly StoredRecord[]> {
  const due = { to: 'now' } as const;
  return (await records.list({ kind: HEARTBEAT, tenants: null, due, limit: 1_000 })).records;
}

const report = (host: PluginHost) =>
  defineRoute({
    method: 'POST',
    path: '/v1/heartbeats/:name',
    scope: 'heartbeats:write',
    doc: {
      operationId: 'reportHeartbeat',
      summary: 'Say that a program is alive',
      tag: 'Heartbeats',
    },
    params: closed({ name: Type.String({ minLength: 1, maxLength: 64 }) }),
    body: closed({
      withinMs: Type.Integer({ minimum: 1, description: 'When the next one comes at the latest.' }),
    }),
    answers: { 200: closed({ name: Type.String() }) },
    handle: async (_request, { params: { name }, body: { withinMs }, caller: { tenant } }) => {
      const key = { kind: HEARTBEAT, tenant, id: name };
      await host.records.write([{ op: 'put', ...key, body: '{}', dueInMs: withinMs }]);
      return { name };
    },
  });

const list = (host: PluginHost) =>
  defineRoute({
    method: 'GET',
    path: '/v1/heartbeats',
    scope: 'heartbeats:read',
    doc: { operationId: 'listHeartbeats', summary: 'Programs that report', tag: 'Heartbeats' },
    answers: { 200: closed({ items: Type.Array(Program) }) },
    handle: async (_request, { caller: { tenant } }) => {
      const query = { kind: HEARTBEAT, tenants: [tenant], limit: 1_000 };
      const { at, records } = await host.records.list(query);
      const items = records.map(({ id, updatedAt, dueAt }) => {
        return { name: id, lastSeenAt: timeText(updatedAt), isLate: (dueAt ?? at) <= at };
      });
      return { items };
    },
  });

/** One job a silence, however often it is looked for: the time it began is part of the key. */
async function tellOfLateOnes(host: PluginHost): Promise<void> {
  for (const { tenant, id: name, updatedAt } of await lateOnes(host)) {
    const lastSeenAt = timeText(updatedAt);
    const key = `${name} ${lastSeenAt}`;
    await host.pawl.tenant(tenant).enqueue(missed, { name, lastSeenAt }, { key });
  }
}

async function checkLateOnes(host: PluginHost) {
  const late = await lateOnes(host);
  if (late.length === 0) return good('every program that reports has done so in time');
  const names = late.map(({ id }) => id).join(', ');
  return found('warning', `nothing was heard from ${names}`, 'Look whether they still run.');
}

export function heartbeats(): Plugin {
  return definePlugin({
    name: 'heartbeats',
    settings: [LOOK_MS],
    scopes: ['heartbeats:read', 'heartbeats:write'],
    records: [HEARTBEAT],
    jobs: [missed],
    pages: [
      { path: 'heartbeats', title: 'Heartbeats', module: new URL('page.js', import.meta.url) },
    ],
    start: (host) => {
      const everyMs = Number(host.settings[LOOK_MS.name] ?? LOOK_MS.fallback);
      return {
        routes: [report(host), list(host)],
        duties: [{ name: 'late', everyMs, run: () => tellOfLateOnes(host) }],
        checks: [{ name: 'late', run: () => checkLateOnes(host) }],
        metrics: [
          {
            name: 'pawl_heartbeats_late',
            help: 'Programs whose heartbeat is late.',
            read: async () => (await lateOnes(host)).length,
          },
        ],
      };
    },
  });
}
