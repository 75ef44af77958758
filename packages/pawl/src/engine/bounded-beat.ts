import { BOUNDS, KEPT_NAME_MAX } from '../core/bounds.ts';
import { type Fault, invalid, type PawlError } from '../core/errors.ts';
import { shownText } from '../core/kept-text.ts';
import { PAYLOADS, payloadRefusal } from '../core/payload.ts';
import { plainValue } from '../core/plain-value.ts';
import { isSealedText } from '../core/sealed.ts';
import { fitsBytes, headOf, isStorable } from '../core/text.ts';
import type { NoteDraft } from '../store/renew.ts';
import type { Beat } from './owner.ts';

/** What one beat may bring: more comes from nobody who reports as he goes. */
const NOTES_MAX = 1_000;
const NOTES_CHARACTERS_MAX = 4 * 1_024 * 1_024;

/** Why a beat's checkpoint, stage or stage's result cannot be kept; null where all of it can. */
export function beatRefusal({ stage, checkpoint, stageResult }: Beat): PawlError | null {
  if (stage !== undefined) {
    const faults = checkKeptName('/stage', stage);
    if (faults.length > 0) return invalid(faults);
  }
  if (stageResult !== undefined) {
    const faults = checkKeptName('/name', stageResult.name);
    if (faults.length > 0) return invalid(faults);
  }
  return (
    (checkpoint === undefined
      ? null
      : payloadRefusal(PAYLOADS.checkpoint, checkpoint, '/checkpoint')) ??
    (stageResult === undefined
      ? null
      : payloadRefusal(PAYLOADS.stageResult, stageResult.result, '/result'))
  );
}

function checkKeptName(pointer: string, name: unknown): Fault[] {
  const isFit = typeof name === 'string' && name !== '' && name.length <= KEPT_NAME_MAX;
  if (isFit && isStorable(name)) return [];
  const message =
    `must be a text of 1 to ${KEPT_NAME_MAX} characters, ` +
    'without U+0000 and without halves of surrogate pairs';
  return [{ pointer, message }];
}

/** What is said in passing, as stores can keep it: too long a text is cut visibly. */
export function boundedMessage(message: string): string {
  return shownText(message, BOUNDS.message);
}

export function boundedNotes(notes: readonly NoteDraft[]): readonly NoteDraft[] {
  if (notes.every(isPlain) && notes.length <= NOTES_MAX) return notes;
  const bounded: NoteDraft[] = [];
  let characters = 0;
  for (const [at, note] of notes.entries()) {
    for (const one of pieces(note)) {
      characters += (one.message ?? '').length + tokensIn(one).length;
      if (bounded.length >= NOTES_MAX || characters > NOTES_CHARACTERS_MAX) {
        const message = `… ${notes.length - at} notes more than can be kept at once`;
        return [...bounded, { type: 'job_log', message, payload: null }];
      }
      bounded.push(one);
    }
  }
  return bounded;
}

/** Most notes are short lines, and are left alone. */
function isPlain({ message, payload }: NoteDraft): boolean {
  return (
    payload === null &&
    typeof message === 'string' &&
    fitsBytes(message, BOUNDS.logLine) &&
    isStorable(message)
  );
}

function tokensIn({ type, payload }: NoteDraft): string {
  const text = type === 'job_tokens' ? payload?.['text'] : undefined;
  return typeof text === 'string' ? text : '';
}

/** Streamed text loses nothing: a long piece becomes several. */
function pieces(note: NoteDraft): NoteDraft[] {
  const line = note.message === null ? null : shownText(note.message, BOUNDS.logLine);
  const tokens = tokensIn(note);
  if (tokens === '') {
    const payload = note.payload === null ? null : plainValue(note.payload, BOUNDS.tokens);
    return [{ ...note, message: line, payload: payload as NoteDraft['payload'] }];
  }
  const texts = isSealedText(tokens)
    ? [tokens]
    : inPieces(tokens.slice(0, 2 * NOTES_CHARACTERS_MAX));
  return texts.map((text) => ({
    ...note,
    message: line,
    payload: { text: shownText(text, BOUNDS.tokens) },
  }));
}

function inPieces(text: string): string[] {
  const parts: string[] = [];
  for (let rest = text; rest !== '';) {
    const head = headOf(rest, BOUNDS.tokens);
    parts.push(head);
    rest = rest.slice(head.length);
  }
  return parts;
}
