import { hostname } from 'node:os';
import { PawlError } from 'pawl/define';
import {
  byPhase,
  type Credential,
  type Engine,
  HOME_TENANT,
  type PluginRoute,
  type ProviderJson,
  type ProvidersJson,
  ProvidersSchema,
  type Tally,
} from 'pawl/plugin';
import type { ProviderAccess, ProviderStanding } from '../model/provider-standing.ts';

const DESCRIPTION =
  'How each provider of the providers file answered, as the process that answers this request ' +
  'saw it: another process has its own figures, and a restart resets them. `measured` says ' +
  'whose figures they are. The jobs are counted by the database, for all tenants: where ' +
  'credentials are asked for, one of the home tenant is needed.';

function stateOf({ calls, failures, failuresInARow }: ProviderStanding): ProviderJson['state'] {
  if (failuresInARow > 0) return 'failing';
  if (calls === 0) return 'unknown';
  return failures > 0 ? 'unsteady' : 'well';
}

function timeText(instant: number): string {
  return new Date(instant).toISOString();
}

function timeOrNull(instant: number | null): string | null {
  return instant === null ? null : timeText(instant);
}

function providerJson(one: ProviderStanding, jobs: readonly Tally[]): ProviderJson {
  const { phases, atLeast } = byPhase(jobs);
  return {
    name: one.name,
    title: one.title,
    url: one.url,
    state: stateOf(one),
    calls: one.calls,
    failures: one.failures,
    failuresInARow: one.failuresInARow,
    lastSuccessAt: timeOrNull(one.lastSuccessAt),
    lastFailureAt: timeOrNull(one.lastFailureAt),
    lastFault: one.lastFault,
    latency: one.latency,
    leftAloneUntil: timeOrNull(one.leftAloneUntil),
    isAnonymous: one.isAnonymous,
    pollIntervalMs: one.pollIntervalMs,
    jobs: phases,
    atLeast,
  };
}

async function providersJson(engine: Engine, access: ProviderAccess): Promise<ProvidersJson> {
  const tally = await engine.tally(null);
  const byProvider = Map.groupBy(tally, ({ type }) => access.providerOfType(type));
  const { since, windowMs } = access.watch;
  return {
    items: access.standings().map((one) => providerJson(one, byProvider.get(one.name) ?? [])),
    nextCursor: null,
    measured: { host: hostname(), pid: process.pid, since: timeText(since), windowMs },
  };
}

/** What concerns all tenants together is for those who run the platform. */
function requireHome({ tenant }: Credential): void {
  if (tenant === HOME_TENANT) return;
  const message = 'the whole platform is shown to credentials of its own tenant only';
  throw new PawlError('FORBIDDEN', message);
}

/** `/v1/providers`: how those elsewhere do. */
export function providersRoute(engine: Engine, access: ProviderAccess): PluginRoute {
  return {
    method: 'GET',
    path: '/v1/providers',
    scope: 'metrics:read',
    doc: {
      tag: 'Queues',
      operationId: 'listProviders',
      summary: 'Providers of OGC processes, and their health',
      description: DESCRIPTION,
    },
    answers: { 200: ProvidersSchema },
    handle: (_request, { caller }) => {
      requireHome(caller);
      return providersJson(engine, access);
    },
  };
}
