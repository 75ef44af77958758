import { BOUNDS } from '../core/bounds.ts';
import { headOf, utf8Bytes } from '../core/text.ts';
import type { Beat, Ownership } from '../engine/owner.ts';
import type { Keep, Report } from '../handler/attempt-port.ts';
import { levelPayload } from '../handler/log.ts';
import type { JobStop } from '../handler/stop.ts';
import type { NoteDraft } from '../store/renew.ts';

type Said = Pick<Beat, 'stage' | 'progress' | 'message' | 'notes' | 'liveTokens'>;

interface PendingKeep {
  readonly write: Keep;
  readonly durable: PromiseWithResolvers<void>;
}

/** What one beat carries, until it is answered. */
export interface BeatReport {
  readonly said: Said;
  readonly keep: PendingKeep | null;
}

/** Lines beyond these wait for no renewal: they are counted and left out. */
const NOTES_MAX = 256;
/** One renewal fits into one request, also where its texts are encoded. */
const CHARACTERS_MAX = 512 * 1_024;

/** What a handler has said and its worker has not yet sent. */
export class Reports {
  #stage: string | undefined;
  #message: string | undefined;
  #progress: number | undefined;
  #liveTokens = '';
  #notes: NoteDraft[] = [];
  /** Characters of all notes. */
  #characters = 0;
  /** Of the last note, if it is one of streamed text. */
  #tokensBytes = Infinity;
  #dropped = 0;
  #keeps: PendingKeep[] = [];
  #end: (() => JobStop) | null = null;

  /** Someone waits for it. */
  get isUrgent(): boolean {
    return this.#keeps.length > 0;
  }

  get hasNews(): boolean {
    if (this.isUrgent || this.#notes.length > 0 || this.#liveTokens !== '') return true;
    return (this.#stage ?? this.#message ?? this.#progress) !== undefined;
  }

  tell(report: Report): void {
    if (this.#end !== null) return;
    if (report.stage !== undefined) this.#stage = report.stage;
    if (report.message !== undefined) this.#message = report.message;
    if (report.progress !== undefined && report.progress > (this.#progress ?? 0)) {
      this.#progress = report.progress;
    }
    if (report.log !== undefined) {
      const payload = levelPayload(report.level ?? 'info');
      this.#note({ type: 'job_log', message: report.log, payload });
    }
    if (report.tokens !== undefined) this.#addTokens(report.tokens);
    if (report.liveTokens !== undefined) this.#liveTokens += report.liveTokens;
  }

  keep(write: Keep): Promise<void> {
    if (this.#end !== null) return Promise.reject(this.#end());
    const durable = Promise.withResolvers<void>();
    // A handler that does not wait for its checkpoint must not bring the worker down.
    durable.promise.catch(() => undefined);
    this.#keeps.push({ write, durable });
    return durable.promise;
  }

  /** Everything, as the beats that carry it: at least one, for a beat is also a sign of life. */
  take(): BeatReport[] {
    const [first = null, ...more] = this.#keeps;
    const said: Said = {
      ...(this.#stage === undefined ? {} : { stage: this.#stage }),
      ...(this.#progress === undefined ? {} : { progress: this.#progress }),
      ...(this.#message === undefined ? {} : { message: this.#message }),
      ...(this.#notes.length === 0 ? {} : { notes: this.#allNotes() }),
      ...(this.#liveTokens === '' ? {} : { liveTokens: this.#liveTokens }),
    };
    this.#stage = this.#message = this.#progress = undefined;
    this.#liveTokens = '';
    this.#notes = [];
    this.#characters = this.#dropped = 0;
    this.#keeps = [];
    return [{ said, keep: first }, ...more.map((keep) => ({ said: {}, keep }))];
  }

  /** Nobody answered: what was said since then counts over it. */
  putBack({ said, keep }: BeatReport): void {
    this.#stage ??= said.stage;
    this.#message ??= said.message;
    if ((said.progress ?? 0) > (this.#progress ?? 0)) this.#progress = said.progress;
    for (const note of said.notes ?? []) this.#characters += charactersIn(note);
    this.#notes.unshift(...(said.notes ?? []));
    this.#liveTokens = (said.liveTokens ?? '') + this.#liveTokens;
    this.#tokensBytes = Infinity;
    if (keep === null) return;
    if (this.#end === null) this.#keeps.unshift(keep);
    else keep.durable.reject(this.#end());
  }

  /** Nothing is accepted from now on, and whoever waits is told why. */
  close(end: () => JobStop): void {
    this.#end ??= end;
    for (const { durable } of this.#keeps.splice(0)) durable.reject(end());
  }

  /** False where there is no room for it. */
  #note(note: NoteDraft): boolean {
    const characters = this.#characters + charactersIn(note);
    if (this.#notes.length >= NOTES_MAX || characters > CHARACTERS_MAX) {
      this.#dropped += 1;
      return false;
    }
    this.#notes.push(note);
    this.#characters = characters;
    return true;
  }

  /** A note of streamed text grows until it is full; then there is the next. */
  #addTokens(text: string): void {
    const bytes = this.#tokensBytes + utf8Bytes(text);
    const characters = this.#characters + text.length;
    const last = this.#notes.at(-1);
    if (last?.type === 'job_tokens' && bytes <= BOUNDS.tokens && characters <= CHARACTERS_MAX) {
      this.#notes[this.#notes.length - 1] = tokensNote(textIn(last) + text);
      this.#tokensBytes = bytes;
      this.#characters = characters;
      return;
    }
    for (let rest = text; rest !== '';) {
      const head = headOf(rest, BOUNDS.tokens);
      if (this.#note(tokensNote(head))) this.#tokensBytes = utf8Bytes(head);
      rest = rest.slice(head.length);
    }
  }

  #allNotes(): NoteDraft[] {
    if (this.#dropped === 0) return this.#notes;
    const message = `${this.#dropped} more lines came faster than they could be kept`;
    return [...this.#notes, { type: 'job_log', message, payload: null }];
  }
}

function tokensNote(text: string): NoteDraft {
  return { type: 'job_tokens', message: null, payload: { text } };
}

function textIn({ payload }: NoteDraft): string {
  const text = payload?.['text'];
  return typeof text === 'string' ? text : '';
}

function charactersIn(note: NoteDraft): number {
  return (note.message ?? '').length + textIn(note).length;
}

export function beatOf(held: Ownership, { said, keep }: BeatReport): Beat {
  return { ...held, ...said, ...keep?.write };
}
