import { type Static, Type } from 'typebox';
import { exactlyOne, type Fault, fromTypebox, refined, type Schema } from 'pawl/define';
import { artifactId } from '../reading/reference.ts';

const Tool = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
    description: Type.Optional(Type.String({ maxLength: 4_000 })),
    parameters: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'A JSON Schema of the arguments.',
      }),
    ),
  },
  { additionalProperties: false },
);

const ToolCallSchema = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 256 }),
    name: Type.String({ minLength: 1, maxLength: 64 }),
    arguments: Type.Unknown(),
  },
  { additionalProperties: false },
);

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
            role: Type.Enum(['system', 'user', 'assistant', 'tool']),
            content: Type.String({ maxLength: 100_000 }),
            toolCalls: Type.Optional(
              Type.Array(ToolCallSchema, {
                maxItems: 64,
                description: 'Of an assistant: the calls of a result.',
              }),
            ),
            toolCallId: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 256,
                description: 'Of a tool: the call that `content` answers.',
              }),
            ),
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
    tools: Type.Optional(
      Type.Array(Tool, {
        minItems: 1,
        maxItems: 64,
        description: 'Functions that the model may ask for: the result then has `toolCalls`.',
      }),
    ),
    toolChoice: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: '`auto`, `none`, `required`, or the name of the one tool to call.',
      }),
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
  return [...faults, ...toolFaults(input)];
});

function toolFaults({ tools, toolChoice, persist, messages = [] }: AiInput): Fault[] {
  const unkept =
    tools !== undefined && persist === false
      ? [{ pointer: '/persist', message: 'must not be false with `tools`: their calls are kept' }]
      : [];
  const words = ['auto', 'none', 'required', ...(tools ?? []).map(({ name }) => name)];
  const isUnknown =
    toolChoice !== undefined && (tools === undefined || !words.includes(toolChoice));
  const choice = isUnknown
    ? [{ pointer: '/toolChoice', message: `must be one of ${words.join(', ')}, with \`tools\`` }]
    : [];
  const said = messages.flatMap(({ role, content, toolCallId, toolCalls }, index) => {
    const pointer = `/messages/${index}`;
    if ((role === 'tool') !== (toolCallId !== undefined)) {
      return [{ pointer, message: 'the role tool and `toolCallId` belong together' }];
    }
    if (toolCalls !== undefined && role !== 'assistant') {
      return [{ pointer: `${pointer}/toolCalls`, message: 'belongs to the role assistant' }];
    }
    const mayBeEmpty = role === 'tool' || toolCalls !== undefined;
    return content === '' && !mayBeEmpty
      ? [{ pointer: `${pointer}/content`, message: 'must not be empty' }]
      : [];
  });
  return [...unkept, ...choice, ...said];
}

/** The newest thing that the user said. */
export function questionOf({ prompt, messages }: AiInput): string {
  return prompt ?? messages?.findLast(({ role }) => role === 'user')?.content ?? '';
}
