// What claims ask for, by chance.
import type { SeededRandom } from 'pawl/internal/core/random';
import type { ClaimOptions } from 'pawl/internal/engine/claim';
import { TYPE_NAMES } from './requests.ts';
import { chance, OWNERS, QUEUES, TENANTS } from './scene.ts';

export function pickClaim(random: SeededRandom): ClaimOptions {
  return {
    owner: random.pick(OWNERS),
    types: TYPE_NAMES.filter(() => chance(random, 0.7)),
    max: random.pick([1, 1, 2, 3, 5]),
    tenants: chance(random, 0.3) ? [random.pick(TENANTS)] : null,
    queues: chance(random, 0.2) ? [random.pick(QUEUES)] : null,
    requestId: chance(random, 0.5) ? `request ${random.below(3)}` : null,
  };
}

/** Two releases that are deployed side by side, one of which may pin what it begins. */
export function pickOffer(random: SeededRandom): ClaimOptions {
  const options = pickClaim(random);
  const offered = options.types.filter(() => chance(random, 0.8));
  const revisions = Object.fromEntries(
    offered.map((type) => [type, { name: random.pick(['v1', 'v2']), pin: chance(random, 0.7) }]),
  );
  return { ...options, revisions };
}
