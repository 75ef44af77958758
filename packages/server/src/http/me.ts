import { HOME_TENANT } from 'pawl/internal/contract/credential';
import { timeText } from 'pawl/internal/contract/event-view';
import { MeSchema, type UsageJson, UsageSchema } from 'pawl/internal/contract/me';
import { SCOPES } from 'pawl/internal/contract/role';
import { closed, PAGING, pageOf } from 'pawl/internal/contract/values';
import { byPhase, TALLY_MAX, type Tally } from 'pawl/internal/store/tally';
import { cutPage, sendPage } from './page.ts';
import {
  type App,
  callerOf,
  credentialOf,
  type Services,
  type Resource,
  routes,
} from './services.ts';

const TYPES_SHOWN = 20;

function readMe(app: App): void {
  app.get(
    '/v1/me',
    {
      schema: {
        tags: ['Access'],
        operationId: 'readMe',
        summary: 'Who asks, and what they may do',
        description: 'Any credential may ask. Scopes of plug-ins are not listed.',
        response: { 200: MeSchema },
      },
    },
    (request) => {
      const { tenant, principal, groups, reach, scopes, expiresAt } = credentialOf(request);
      return {
        tenant,
        isHome: tenant === HOME_TENANT,
        principal,
        groups: [...groups],
        reach,
        scopes: SCOPES.filter((scope) => scopes.has(scope)),
        expiresAt: expiresAt === null ? null : timeText(expiresAt),
      };
    },
  );
}

function isInFlight({ phase }: Tally): boolean {
  return phase === 'leased' || phase === 'executing';
}

function countIn(tallies: readonly Tally[]): number {
  return tallies.reduce((sum, { count }) => sum + count, 0);
}

function usageOf(tenant: string, tallies: readonly Tally[]): UsageJson {
  const types = [...Map.groupBy(tallies, ({ type }) => type)].map(([type, own]) => ({
    type,
    count: countIn(own),
    inFlight: countIn(own.filter(isInFlight)),
    isAtLeast: own.some(({ isAtLeast }) => isAtLeast),
  }));
  const ready = tallies.filter(({ phase }) => phase === 'ready');
  return {
    tenant,
    ...byPhase(tallies),
    inFlight: countIn(tallies.filter(isInFlight)),
    oldestReadyAt:
      ready.length === 0
        ? null
        : timeText(Math.min(...ready.map(({ oldestRunAt }) => oldestRunAt))),
    types: types.toSorted((one, other) => other.count - one.count).slice(0, TYPES_SHOWN),
  };
}

/** The busiest first: what is in flight, then what is ready, with digits that compare as texts. */
function placeOf({ inFlight, phases, tenant }: UsageJson): string {
  const counts = [inFlight, phases['ready'] ?? 0];
  return [...counts.map((count) => String(count).padStart(15, '0')), tenant].join('.');
}

function readUsage(app: App, { engine }: Services): void {
  app.get(
    '/v1/usage',
    {
      schema: {
        tags: ['Queues'],
        operationId: 'readUsage',
        summary: 'What each tenant uses now, the busiest first',
        description:
          'Jobs that have not ended. Credentials of the tenant that runs the platform see all ' +
          'tenants, others their own. Of jobs of one type that wait in a queue the first ' +
          `${TALLY_MAX.toLocaleString('en')} are counted: \`atLeast\` names the phases of which ` +
          'there may be more.',
        querystring: closed(PAGING),
        response: { 200: pageOf(UsageSchema) },
      },
    },
    async (request, reply) => {
      const { tenant } = callerOf(request);
      const tallies = await engine.tally(tenant === HOME_TENANT ? null : tenant);
      const items = [...Map.groupBy(tallies, (tally) => tally.tenant)]
        .map(([name, own]) => usageOf(name, own))
        .toSorted((one, other) => (placeOf(one) > placeOf(other) ? -1 : 1));
      const { page, nextCursor } = cutPage(items, request.query, {
        placeOf,
        isAfter: (place, last) => place < last,
      });
      return sendPage(reply, [...page], nextCursor);
    },
  );
}

/** `/v1/me` and `/v1/usage`: who asks, and what everybody uses. */
export const me: Resource = routes(readMe, readUsage);
