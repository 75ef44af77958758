import type { JobFailure } from 'pawl/define';
import { failureOf } from '../work/refusal.ts';

/** Every way in which an export fails: its class, and what whoever asked for it can do. */
export const EXPORT_ERRORS = {
  EXPORT_INVALID_INPUT: {
    class: 'validation_error',
    hint: 'Name the deck as `deckRef`, or give it as `deck`, with a `format` of pptx or pdf.',
  },
  EXPORT_DECK_NOT_FOUND: {
    class: 'validation_error',
    hint: 'Pass the `deckRef` of a convert job that succeeded and is still kept.',
  },
  EXPORT_INVALID_DECK: {
    class: 'validation_error',
    hint: 'Correct the deck; its format is in docs/reference/deck.schema.json.',
  },
  EXPORT_IMAGE_MISSING: {
    class: 'validation_error',
    hint: 'Give the image as `data`, or as the id of an artifact that is still kept.',
  },
  EXPORT_IMAGE_INVALID: {
    class: 'corruption_detected',
    hint: 'Replace the image by one that is what its asset says.',
  },
  EXPORT_LOSSES: {
    class: 'unsupported_format',
    hint: 'Change what is named in the deck, or export without `strict`.',
  },
  EXPORT_TOO_LARGE: {
    class: 'quota_exceeded',
    hint: 'Split the deck, or reduce its images.',
  },
} as const;

export type ExportCode = keyof typeof EXPORT_ERRORS;

/** `throw refuse('EXPORT_INVALID_DECK', 'the deck has no slides')` */
export function refuse(code: ExportCode, what: string, cause?: unknown): JobFailure {
  return failureOf(EXPORT_ERRORS, code, { what, cause });
}
