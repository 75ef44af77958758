import type { Policy } from '../../core/policy.ts';
import { StoreError } from '../store-error.ts';
import type { Cells } from './cells.ts';

/**
 * A policy has the same number in every cell, since numbers are hashes. It is written wherever a
 * cell can be reached; any other gets it with the first job that names it (writes.ts).
 */
export async function putPolicy(cells: Cells, policy: Policy): Promise<number> {
  const given = await cells.everywhere((store) => store.putPolicy(policy));
  const [first] = given;
  const other = given.find(({ answer }) => answer !== first!.answer);
  if (other !== undefined) {
    const numbers = [first!, other].map(({ answer, cell }) => `${answer} in "${cell.name}"`);
    throw new StoreError(
      'refused',
      `a policy has two numbers: ${numbers.join(', ')}; change the type a little`,
    );
  }
  for (const { cell } of given) cells.policies.wasPut(cell, first!.answer);
  cells.policies.learn(first!.answer, policy);
  return first!.answer;
}

export async function policies(cells: Cells, numbers: readonly number[]): Promise<Policy[]> {
  const unknown = numbers.filter((number) => !cells.policies.has(number));
  for (const number of new Set(unknown)) cells.policies.learn(number, await find(cells, number));
  return numbers.map((number) => cells.policies.of(number));
}

/** A cell that was away may not have it: the next one is asked. */
async function find(cells: Cells, number: number): Promise<Policy> {
  let fault: StoreError | null = null;
  for (const cell of cells.all) {
    try {
      const [policy] = await cell.use((store) => store.policies([number]));
      if (policy !== undefined) return policy;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      fault ??= error;
    }
  }
  throw fault ?? new StoreError('unchanged', `no cell has the policy ${number}`);
}

/** What this process knows of policies, and which cells it knows to have them. */
export class KnownPolicies {
  readonly #known = new Map<number, Policy>();
  readonly #put = new Map<string, Set<number>>();

  has(number: number): boolean {
    return this.#known.has(number);
  }

  of(number: number): Policy {
    return this.#known.get(number)!;
  }

  learn(number: number, policy: Policy): void {
    this.#known.set(number, policy);
  }

  wasPut({ name }: { readonly name: string }, number: number): void {
    const numbers = this.#put.get(name);
    if (numbers === undefined) this.#put.set(name, new Set([number]));
    else numbers.add(number);
  }

  isThere({ name }: { readonly name: string }, number: number): boolean {
    return this.#put.get(name)?.has(number) === true;
  }
}
