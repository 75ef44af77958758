import {
  backoffMs,
  type Done,
  exponential,
  isJobFailure,
  type Random,
  type RunContext,
} from 'pawl/define';
import { type Reading, readingOfDeck, readingOfText } from '../reading/passage.ts';
import { readDeck } from '../reading/read-deck.ts';
import { countWords } from '../reading/words.ts';
import type { Reservation, Spending } from './budget.ts';
import { Deferred } from './endpoint-failure.ts';
import type { AiInput } from './input.ts';
import type { Answered, Answering, Model, Question, TokenUsage } from './model.ts';
import { messagesOf } from './prompt.ts';
import { refuse } from './refusal.ts';

type AskingContext = Omit<RunContext<AiInput>, 'stage'>;

/** What an ai job works with. */
export interface AskingDependencies {
  readonly model: Model;
  readonly random: Random;
  /** Null: answers cost nothing that anybody counts. */
  readonly spending: Spending | null;
}

/** The same for one answer. */
interface Terms extends AskingDependencies {
  /** False: it is streamed, and stored nowhere. */
  readonly isKept: boolean;
}

/** So often is a provider waited for that asks for patience; none of them costs an attempt. */
const DEFERRALS_MAX = 4;

/** Where a provider says that it is too much but not for how long. */
const PATIENCE = exponential({ baseMs: 1_000, maxMs: 10_000, jitter: 'decorrelated' });

interface Deferrals {
  readonly deferrals: number;
  readonly waitedMs: number;
}

export interface Streamed {
  readonly text: string;
  readonly answered: Answered;
  /** Null where nothing is counted, or the provider does not tell. */
  readonly cost: number | null;
}

/** One attempt at an answer: what it has in memory, and what it makes anew when it has not. */
export class Asking {
  readonly #context: AskingContext;
  readonly #deps: Terms;
  #reading: Reading | null | undefined;
  #answering: Answering | null = null;
  #reserved: Reservation | null = null;

  constructor(context: AskingContext, deps: Terms) {
    this.#context = context;
    this.#deps = deps;
  }

  /** Reads the document, or the selected part of it. */
  async prepare(): Promise<{ readonly title: string; readonly passages: number } | null> {
    this.#reading = await this.#read();
    if (this.#reading === null) return null;
    return { title: this.#reading.title, passages: this.#reading.passages.length };
  }

  async #read(): Promise<Reading | null> {
    const { input } = this.#context;
    const { deckRef, text, selection } = input;
    if (deckRef === undefined && text === undefined) return null;
    const whole =
      deckRef === undefined
        ? readingOfText(text!)
        : readingOfDeck(await readDeck(this.#context, deckRef));
    if (selection === undefined) return whole;
    const wanted = new Set(selection.slides);
    const passages = whole.passages.filter((_, index) => wanted.has(index + 1));
    if (passages.length > 0) return { ...whole, passages };
    const what = `the document has ${whole.passages.length} parts and none of the selected ones`;
    throw refuse('AI_SELECTION_EMPTY', what);
  }

  /** Puts the question; the answer has begun when it resolves. */
  async send(): Promise<null> {
    if (this.#reading === undefined) await this.prepare();
    const { input, signal } = this.#context;
    const question = { input, reading: this.#reading! };
    if (input.tools !== undefined && !this.#deps.isKept) {
      throw refuse('AI_TOOLS_NOT_KEPT', 'calls of tools are part of an answer, which is not kept');
    }
    await this.#reserve(question);
    try {
      this.#answering = await this.#deps.model.ask(question, signal);
      return null;
    } catch (error) {
      // Nothing was answered, so nothing was used.
      await this.#settle(null);
      throw await this.#patiently(error);
    }
  }

  async #reserve(question: Question): Promise<void> {
    const { spending } = this.#deps;
    if (spending === null) return;
    const { tenant, limitKey, requestedBy } = this.#context.job;
    const letters = messagesOf(question).reduce((sum, { content }) => sum + content.length, 0);
    const payer = { tenant, user: limitKey ?? requestedBy };
    this.#reserved = await spending.reserve(payer, question.input, letters);
  }

  /** What broke off half way stays set aside: nobody says what it has cost. */
  async #settle(usage: TokenUsage | null): Promise<number | null> {
    const { spending } = this.#deps;
    const reserved = this.#reserved;
    if (spending === null || reserved === null) return null;
    this.#reserved = null;
    await spending.settle(reserved, usage);
    return usage === null ? null : spending.costOf(usage);
  }

  /** Passes the answer on, piece by piece. */
  async stream(progress: (done: Done, message?: string) => void): Promise<Streamed> {
    if (this.#answering === null) await this.send();
    const answering = this.#answering!;
    const { tokens, signal } = this.#context;
    let text = '';
    let words = 0;
    try {
      const pieces = answering.pieces();
      for (;;) {
        signal.throwIfAborted();
        const next = await pieces.next();
        if (next.done === true) {
          const { tokenUsage } = next.value;
          // Where the provider does not tell, what was set aside is what it cost.
          const cost = tokenUsage === null ? null : await this.#settle(tokenUsage);
          return { text, answered: next.value, cost };
        }
        tokens(next.value, { keep: this.#deps.isKept });
        text += next.value;
        words += countWords(next.value);
        // Nobody knows how long it will be: it comes ever nearer to the end.
        progress(words / (words + 200), `${words} words`);
      }
    } catch (error) {
      answering.discard();
      throw await this.#patiently(error);
    }
  }

  /** Waits for a provider that asks for it, some times over; then the failure is one. */
  async #patiently(error: unknown): Promise<unknown> {
    const failure = error instanceof Deferred ? error.failure : error;
    const isLimit = isJobFailure(failure) && failure.class === 'ai_rate_limit';
    if (!(error instanceof Deferred) && !isLimit) return error;
    const { lastCheckpoint, checkpoint, snooze, log } = this.#context;
    const before = (lastCheckpoint as Deferrals | null) ?? { deferrals: 0, waitedMs: 0 };
    if (before.deferrals >= DEFERRALS_MAX) return failure;
    const retry = { number: before.deferrals + 1, previousMs: before.waitedMs || null };
    const waitedMs =
      error instanceof Deferred ? error.waitMs : backoffMs(PATIENCE, retry, this.#deps.random);
    log(`${(failure as Error).message} Waiting for ${waitedMs} ms.`);
    await checkpoint({ deferrals: before.deferrals + 1, waitedMs } satisfies Deferrals);
    return snooze(waitedMs);
  }
}
