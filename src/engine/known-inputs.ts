import { referenceIn } from '../artifact/reference.ts';
import { VERSION } from '../codec/place.ts';
import type { JobDefinition } from '../handler/define-job.ts';
import { checkInput, isUnchecked, type Schema } from '../handler/schema.ts';
import type { EnqueueRequest } from './enqueue-request.ts';

/**
 * What the jobs that this process knows take as input: so a caller in whatever language hears at
 * once, and not from a failed job, what is wrong. Types of other processes are let pass.
 */
export class KnownInputs {
  readonly #schemas: Map<string, Schema> = new Map();

  learn(jobs: readonly JobDefinition[]): void {
    for (const { type, takesInput, input, intake = input } of jobs) {
      // Whether there may be any is the stored definition's to say, for every process.
      if (takesInput && !isUnchecked(intake)) this.#schemas.set(type, intake);
    }
  }

  /**
   * Throws VALIDATION_ERROR with the path of every fault. A promise, which rejects so, only where
   * the schema has to be waited for.
   */
  check({ type, input = null }: EnqueueRequest): Promise<void> | null {
    const schema = this.#schemas.get(type);
    if (schema === undefined || isElsewhere(input)) return null;
    return checkInput({ input: schema }, input);
  }
}

/** An input that is kept as an artifact or encrypted cannot be looked into here. */
function isElsewhere(input: unknown): boolean {
  if (typeof input === 'string') return input.startsWith(`${VERSION}.`);
  return referenceIn(input) !== null;
}
