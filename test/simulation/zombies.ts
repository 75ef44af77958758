// Turns whose owner wrote once more after it had lost them, and was refused.
import type { PawlError } from 'pawl/internal/core/errors';
import type { Ownership } from 'pawl/internal/engine/owner';

type Turn = Pick<Ownership, 'ref' | 'epoch'>;
type Outcome = { readonly kind: string; readonly error?: PawlError };

/** Each turn counts once, however often its former owner tried. */
export class Zombies {
  readonly #turns: Set<string> = new Set();

  get count(): number {
    return this.#turns.size;
  }

  /** What was answered to writes of owners, in their order. */
  note(written: readonly Turn[], outcomes: readonly Outcome[]): void {
    outcomes.forEach(({ kind, error }, index) => {
      if (kind === 'refused' && error !== undefined) this.noteRefusal(written[index]!, error);
    });
  }

  noteRefusal({ ref, epoch }: Turn, { code }: PawlError): void {
    if (code === 'LEASE_LOST') this.#turns.add(`${ref.tenant}/${ref.id} ${epoch}`);
  }
}
