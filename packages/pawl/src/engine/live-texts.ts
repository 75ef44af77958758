import type { Clock, Instant } from '../core/clock.ts';
import type { JobEvent } from '../core/event.ts';
import type { Ids } from '../core/ids.ts';
import type { NoteDraft } from '../store/renew.ts';

/** Memory is no place to keep them either: so long, and so many together. */
const KEPT_MS = 60_000;
const CHARACTERS_MAX = 4_194_304;

interface LiveText {
  readonly text: string;
  readonly number: number;
  readonly at: Instant;
}

/**
 * Texts that are told to those who listen at that moment and stored nowhere. The log has a gap in
 * their place, which says how long they were; who stood by when they came finds them here by it.
 */
export class LiveTexts {
  readonly #ids: Ids;
  readonly #clock: Clock;
  readonly #texts: Map<string, LiveText> = new Map();
  #last = 0;
  #characters = 0;

  constructor({ ids, clock }: { readonly ids: Ids; readonly clock: Clock }) {
    this.#ids = ids;
    this.#clock = clock;
  }

  /** Texts that come after this moment have a greater number. */
  get mark(): number {
    return this.#last;
  }

  /** The gap that is stored for a text, which is here before the gap can be read. */
  put(text: string): { readonly ref: string; readonly gap: NoteDraft } {
    const ref = this.#ids.next();
    this.#texts.set(ref, { text, number: ++this.#last, at: this.#clock.now() });
    this.#characters += text.length;
    this.#forgetOld();
    const payload = { gap: true, characters: text.length, ref };
    return { ref, gap: { type: 'job_tokens', message: null, payload } };
  }

  /** The text of a gap for one who listens since `mark`; null where it came before, or is gone. */
  textIn({ payload }: Pick<JobEvent, 'payload'>, mark: number): string | null {
    const ref = payload?.['gap'] === true ? payload['ref'] : undefined;
    const found = typeof ref === 'string' ? this.#texts.get(ref) : undefined;
    return found !== undefined && found.number > mark ? found.text : null;
  }

  drop(ref: string): void {
    const found = this.#texts.get(ref);
    if (found === undefined) return;
    this.#texts.delete(ref);
    this.#characters -= found.text.length;
  }

  /** In the order in which they came, the oldest first. */
  #forgetOld(): void {
    const before = this.#clock.now() - KEPT_MS;
    for (const [ref, { at }] of this.#texts) {
      if (at >= before && this.#characters <= CHARACTERS_MAX) return;
      this.drop(ref);
    }
  }
}
