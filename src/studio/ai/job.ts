import { type Static, Type } from 'typebox';
import type { Rate } from '../../core/limits.ts';
import { defineJob, type JobDefinition } from '../../handler/define-job.ts';
import { fromTypebox } from '../../handler/typebox.ts';
import { task } from '../../lifecycles/task.ts';
import { guarded } from '../work/guard.ts';
import { Asking, type AskingRoom } from './asking.ts';
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
  citations: Type.Array(Type.Object({ place: Type.String(), text: Type.String() })),
});

export type AiResult = Static<typeof AiResultSchema>;

/** What ai jobs work with, and what their organisation allows. */
export interface AiRoom extends AskingRoom {
  /** False: no answer is kept, whatever a job asks for. */
  readonly mayPersist: boolean;
  /** The longest that one answer may take. */
  readonly timeoutMs: number;
  readonly rate: { readonly perUser: Rate; readonly perOrganisation: Rate };
}

/** A chat or a completion, about a document where one is given; streamed as it is written. */
export function aiJob(room: AiRoom): JobDefinition<AiInput, AiResult> {
  return defineJob({
    type: 'ai',
    lifecycle: task,
    input: aiInput,
    result: fromTypebox(AiResultSchema),
    timeoutMs: room.timeoutMs + 30_000,
    retry: {
      maxAttempts: 2,
      backoff: { kind: 'exponential', baseMs: 1_000, maxMs: 10_000, jitter: 'decorrelated' },
    },
    retryable: ['model_overloaded', 'network_timeout'],
    limits: { rate: room.rate },
    slo: {
      p50Ms: 1_200,
      p95Ms: 4_000,
      p99Ms: 8_000,
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
        const persisted = room.mayPersist && input.persist !== false;
        const asking = new Asking(context, { ...room, isKept: persisted });
        await stage('preparing_context', () => asking.prepare());
        await stage('sending_prompt', () => asking.send());
        // A stage's result is stored: what may not be kept must not be in it.
        const { text, answered } = await stage('streaming_response', async ({ progress }) => {
          const streamed = await asking.stream(progress);
          const kept = persisted ? streamed.answered.citations : [];
          return {
            text: persisted ? streamed.text : null,
            answered: { ...streamed.answered, citations: [...kept] },
          };
        });
        return stage('finalizing', () => ({ response: text, persisted, ...answered }));
      }),
  });
}
