import { type Static, Type } from 'typebox';
import { defineFixedRetryJob, fromTypebox, type JobDefinition, type RateOption } from 'pawl/define';
import { guarded } from '../work/guard.ts';
import { Asking, type AskingDependencies } from './asking.ts';
import { type AiInput, aiInput } from './input.ts';

const AiResultSchema = Type.Object({
  response: Type.Union([Type.String(), Type.Null()], {
    description: 'The whole answer; null where it is not to be kept.',
  }),
  persisted: Type.Boolean(),
  model: Type.String(),
  finishReason: Type.String(),
  tokenUsage: Type.Union([
    Type.Object({
      prompt: Type.Number(),
      completion: Type.Number(),
      total: Type.Number(),
      unit: Type.Enum(['tokens', 'words']),
    }),
    Type.Null(),
  ]),
  cost: Type.Union([Type.Number(), Type.Null()], {
    description: 'By the prices of the platform; null where none are set.',
  }),
  toolCalls: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), arguments: Type.Unknown() }),
    { description: 'What to do before the model continues: put the answers into `messages`.' },
  ),
  citations: Type.Array(Type.Object({ place: Type.String(), text: Type.String() })),
});

export type AiResult = Static<typeof AiResultSchema>;

/** What ai jobs work with, and what their organisation allows. */
export interface AiDependencies extends AskingDependencies {
  /** False: no answer is kept, whatever a job asks for. */
  readonly mayPersist: boolean;
  /** The longest that one answer may take. */
  readonly timeoutMs: number;
  readonly rate: { readonly perUser: RateOption; readonly perOrganisation: RateOption };
}

/** A chat or a completion, about a document where one is given; streamed as it is written. */
export function aiJob(deps: AiDependencies): JobDefinition<AiInput, AiResult> {
  return defineFixedRetryJob('ai', {
    input: aiInput,
    result: fromTypebox(AiResultSchema),
    timeout: deps.timeoutMs + 30_000,
    maxAttempts: 2,
    backoff: { base: '1s', max: '10s', jitter: 'decorrelated' },
    retryable: ['model_overloaded', 'network_timeout'],
    limits: { rate: deps.rate },
    slo: {
      p50: '1.2s',
      p95: '4s',
      p99: '8s',
      failureRateMax: 0.02,
      measures: 'first_token',
    },
    stages: [
      { name: 'preparing_context', min: 0, max: 10 },
      { name: 'sending_prompt', min: 10, max: 20 },
      { name: 'streaming_response', min: 20, max: 95 },
      { name: 'finalizing', min: 95, max: 100 },
    ],
    run: (context) =>
      guarded(context, async (): Promise<AiResult> => {
        const { stage, input } = context;
        const persisted = deps.mayPersist && input.persist !== false;
        const asking = new Asking(context, { ...deps, isKept: persisted });
        await stage('preparing_context', () => asking.prepare());
        await stage('sending_prompt', () => asking.send());
        // A stage's result is stored: what may not be kept must not be in it.
        const { text, cost, answered } = await stage('streaming_response', async ({ progress }) => {
          const streamed = await asking.stream(progress);
          const kept = persisted ? streamed.answered.citations : [];
          return {
            text: persisted ? streamed.text : null,
            cost: streamed.cost,
            answered: {
              ...streamed.answered,
              citations: [...kept],
              toolCalls: [...(streamed.answered.toolCalls ?? [])],
            },
          };
        });
        return stage('finalizing', () => ({ response: text, persisted, cost, ...answered }));
      }),
  });
}
