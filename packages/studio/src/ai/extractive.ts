import { answer, type Extract, outline, summary } from '../reading/extract.ts';
import { countWords } from '../reading/words.ts';
import { type AiInput, questionOf } from './input.ts';
import type { Answered, Answering, Model, Question } from './model.ts';
import { refuse } from './refusal.ts';

/** Its name says what it is: it writes nothing of its own, it finds sentences. */
export const EXTRACTIVE_MODEL = 'pawl-extractive-1';

const NOTHING = 'The document has nothing about this.';

/** The model without a model: outlines, summaries and answers made of the document's sentences. */
export const extractiveModel: Model = {
  ask: async ({ input, reading }) => {
    if (input.tools !== undefined) {
      throw refuse('AI_TOOLS_NEED_MODEL', `${EXTRACTIVE_MODEL} calls no tools`);
    }
    if (reading === null) {
      const what = `${EXTRACTIVE_MODEL} answers from a document, and there is none`;
      throw refuse('AI_NEEDS_DOCUMENT', what);
    }
    const found = extractFor(input, reading);
    const text = found.text === '' ? NOTHING : found.text;
    return answeringOf(text, { input, reading, found });
  },
};

function extractFor(input: AiInput, reading: NonNullable<Question['reading']>): Extract {
  if (input.task === 'outline') return outline(reading);
  if (input.task === 'summary') return summary(reading);
  return answer(reading, questionOf(input));
}

function answeringOf(
  text: string,
  { input, reading, found }: { input: AiInput; reading: Question['reading']; found: Extract },
): Answering {
  const read = reading!.passages.reduce((sum, one) => sum + countWords(one.text), 0);
  const prompt = read + countWords(questionOf(input));
  const completion = countWords(text);
  return {
    async *pieces(): AsyncGenerator<string, Answered> {
      yield* text.match(/\S+\s*|\s+/g) ?? [];
      return {
        model: EXTRACTIVE_MODEL,
        finishReason: 'stop',
        tokenUsage: { prompt, completion, total: prompt + completion, unit: 'words' },
        citations: found.quotes,
      };
    },
    discard: () => undefined,
  };
}
