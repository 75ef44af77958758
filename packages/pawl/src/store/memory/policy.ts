import { isDeepStrictEqual } from 'node:util';
import type { Policy } from '../../core/policy.ts';
import { type Tables, throughJson } from './tables.ts';

/** The number of a policy; one that is equal to an earlier one has its number. */
export function putPolicy(tables: Tables, given: Policy): number {
  const policy = throughJson(given);
  const index = tables.policies.from(0).findIndex((one) => isDeepStrictEqual(one, policy));
  if (index !== -1) return index + 1;
  tables.policies.append(policy);
  return tables.policies.length;
}
