import { type Static, Type } from 'typebox';
import { exactlyOne, fromTypebox, refined, type Schema } from 'pawl/define';
import { artifactId } from '../reading/reference.ts';

const AiInputSchema = Type.Object(
  {
    task: Type.Optional(
      Type.Enum(['answer', 'summary', 'outline'], {
        description: 'What to do with a document; an answer to the prompt unless said otherwise.',
      }),
    ),
    prompt: Type.Optional(Type.String({ minLength: 1, maxLength: 100_000 })),
    messages: Type.Optional(
      Type.Array(
        Type.Object(
          {
            role: Type.Enum(['system', 'user', 'assistant']),
            content: Type.String({ minLength: 1, maxLength: 100_000 }),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: 200, description: 'A chat so far, instead of a prompt.' },
      ),
    ),
    deckRef: Type.Optional(artifactId('The document: the `deckRef` of a convert job.')),
    text: Type.Optional(
      Type.String({ minLength: 1, maxLength: 262_144, description: 'The document itself.' }),
    ),
    selection: Type.Optional(
      Type.Object(
        {
          slides: Type.Array(Type.Integer({ minimum: 1 }), {
            minItems: 1,
            maxItems: 2_000,
            description: 'Slides of the deck, or paragraphs of the text, from 1.',
          }),
        },
        { additionalProperties: false, description: 'Only this part of the document.' },
      ),
    ),
    model: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    maxTokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 131_072 })),
    persist: Type.Optional(
      Type.Boolean({
        description: 'False: the answer goes to the streams that are open, and is kept nowhere.',
      }),
    ),
  },
  { additionalProperties: false },
);

export type AiInput = Static<typeof AiInputSchema>;

/** What an ai job is asked to do: about a document, or a chat of its own. */
export const aiInput: Schema<AiInput> = refined(fromTypebox(AiInputSchema), (input) => {
  const hasDocument = input.deckRef !== undefined || input.text !== undefined;
  const isTask = input.task === 'summary' || input.task === 'outline';
  const faults = isTask ? [] : exactlyOne(input, ['prompt', 'messages']);
  if (input.deckRef !== undefined && input.text !== undefined) {
    faults.push({ pointer: '/text', message: 'cannot be given with deckRef' });
  }
  if ((isTask || input.selection !== undefined) && !hasDocument) {
    faults.push({ pointer: '', message: 'a document is needed: give `deckRef` or `text`' });
  }
  return faults;
});

/** The newest thing that the user said. */
export function questionOf({ prompt, messages }: AiInput): string {
  return prompt ?? messages?.findLast(({ role }) => role === 'user')?.content ?? '';
}
