import { isJobFailure, type JobFailure } from 'pawl/define';
import { failureOf } from '../work/refusal.ts';

/** Every way in which a conversion fails: its class, and what whoever sent the file can do. */
export const CONVERT_ERRORS = {
  CONVERT_INVALID_INPUT: {
    class: 'validation_error',
    hint: 'Name the source as `assetRef`, or give its `text` with a `sourceType`.',
  },
  CONVERT_SOURCE_NOT_FOUND: {
    class: 'validation_error',
    hint: 'Upload the file first and pass the id of the artifact as `assetRef`.',
  },
  CONVERT_UNSUPPORTED_FORMAT: {
    class: 'unsupported_format',
    hint: 'Send a .pptx, .pdf, .docx, .md, .html or .txt file, or an older or open office format.',
  },
  CONVERT_OFFICE_MISSING: {
    class: 'unsupported_format',
    hint: 'Save it as .pptx, .docx, .pdf or .html, or install LibreOffice where jobs run.',
  },
  CONVERT_PASSWORD_PROTECTED: {
    class: 'unsupported_format',
    hint:
      'Send the `password` of a PDF or of a file of Office 2010 or newer, or save the file ' +
      'without one.',
  },
  CONVERT_CORRUPTED: {
    class: 'corruption_detected',
    hint: 'Open the file in the program that made it and save it again.',
  },
  CONVERT_UNSAFE_CONTENT: {
    class: 'validation_error',
    hint: 'Save the file again: it has parts that office programs do not write.',
  },
  CONVERT_TOO_LARGE: {
    class: 'quota_exceeded',
    hint: 'Split the file, or reduce its images.',
  },
  CONVERT_LOSSES: {
    class: 'unsupported_format',
    hint: 'Remove what is named from the source, or convert without `strict`.',
  },
  CONVERT_EMPTY: {
    class: 'validation_error',
    hint: 'Send a file with at least one slide, page or line of text.',
  },
} as const;

export type ConvertCode = keyof typeof CONVERT_ERRORS;

export const WRONG_PASSWORD = 'the `password` does not open the file';

/** `throw refuse('CONVERT_CORRUPTED', 'the slide 3 is missing')` */
export function refuse(code: ConvertCode, what: string, cause?: unknown): JobFailure {
  return failureOf(CONVERT_ERRORS, code, { what, cause });
}

/** What a parser threw at a broken file is the file's fault, unless it was said better before. */
export function corrupted(error: unknown, what: string): JobFailure {
  if (isJobFailure(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return refuse('CONVERT_CORRUPTED', `${what}: ${message.slice(0, 200)}`, error);
}
