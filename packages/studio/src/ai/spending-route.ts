import type { PluginRoute } from 'pawl/plugin';
import { Type } from 'typebox';
import type { Spending } from './budget.ts';

const SpentSchema = Type.Object({
  user: Type.Union([Type.String(), Type.Null()], {
    description: 'Null: all of the tenant together.',
  }),
  cost: Type.Number({ description: 'With what is set aside for answers that are on their way.' }),
  answers: Type.Integer(),
  promptTokens: Type.Integer(),
  completionTokens: Type.Integer(),
});

/** What answers have cost the caller's tenant on one day. */
export function spendingRoute(spending: Spending): PluginRoute {
  return {
    method: 'GET',
    path: '/v1/ai/spending',
    scope: 'jobs:read',
    doc: {
      operationId: 'readAiSpending',
      summary: 'What answers of models have cost on one day',
      description:
        'In all, and by each user: the `limitKey` of the jobs, else whoever asked for them. The ' +
        'currency is that of PAWL_AI_PRICES.',
      tag: 'AI',
      errors: [],
    },
    query: Type.Object({
      day: Type.Optional(
        Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'Default: today (UTC).' }),
      ),
    }),
    answers: { 200: Type.Object({ day: Type.String(), spent: Type.Array(SpentSchema) }) },
    handle: (_, { caller, query }) => {
      const day = query['day'] as string | undefined;
      return spending.spent(caller.tenant, day ?? null);
    },
  };
}
