import { hostname } from 'node:os';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyPluginCallback } from 'fastify';
import type { Engine } from 'pawl/internal/engine/engine';
import type { ProviderAccess, ProviderStanding } from '@pawl/ogc/internal/model/provider-standing';
import { byPhase, type Tally } from 'pawl/internal/store/tally';
import { requireHome } from './require-home.ts';
import {
  type ProviderJson,
  type ProvidersJson,
  ProvidersSchema,
} from 'pawl/internal/contract/provider';
import { timeText } from 'pawl/internal/contract/event-view';

const DESCRIPTION =
  'How each provider of the providers file answered, as the process that answers this request ' +
  'saw it: another process has figures of its own, and a restart begins anew. `measured` says ' +
  'whose figures they are. The jobs are counted by the database, for all tenants: where ' +
  'credentials are asked for, one of the home tenant is needed.';

function stateOf({ calls, failures, failuresInARow }: ProviderStanding): ProviderJson['state'] {
  if (failuresInARow > 0) return 'failing';
  if (calls === 0) return 'unknown';
  return failures > 0 ? 'unsteady' : 'well';
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

/** `/v1/providers`: how those elsewhere do. */
export function providerRoutes(engine: Engine, access: ProviderAccess): FastifyPluginCallback {
  return (plain, _options, done) => {
    const app = plain.withTypeProvider<TypeBoxTypeProvider>();
    app.get(
      '/v1/providers',
      {
        schema: {
          tags: ['Queues'],
          operationId: 'listProviders',
          summary: 'Providers of OGC processes, and how they do',
          description: DESCRIPTION,
          response: { 200: ProvidersSchema },
        },
      },
      async (request) => {
        requireHome(request);
        return providersJson(engine, access);
      },
    );
    done();
  };
}
