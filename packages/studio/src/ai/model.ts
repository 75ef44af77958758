import type { Reading } from '../reading/passage.ts';
import type { AiInput } from './input.ts';
import type { ToolCall } from './tools.ts';

/** What is put to a model: the wish, and the part of the document that it is about. */
export interface Question {
  readonly input: AiInput;
  /** Null for a chat about nothing in particular. */
  readonly reading: Reading | null;
}

export interface TokenUsage {
  readonly prompt: number;
  readonly completion: number;
  readonly total: number;
  /** What was counted: tokens by the provider's word, words where there is none. */
  readonly unit: 'tokens' | 'words';
}

/** What is known when an answer has ended. */
export interface Answered {
  readonly model: string;
  readonly finishReason: string;
  /** Null where the provider does not tell. */
  readonly tokenUsage: TokenUsage | null;
  /** The places of the document that the answer is taken from. */
  readonly citations: readonly { readonly place: string; readonly text: string }[];
  /** What the caller is to do before the model goes on; mostly nothing. */
  readonly toolCalls?: readonly ToolCall[];
}

/** An answer on its way: pieces of text as they come, then what is known of it. */
export interface Answering {
  pieces(): AsyncGenerator<string, Answered>;
  /** Lets go of what is not read. */
  discard(): void;
}

/** Something that answers questions. */
export interface Model {
  /** Resolves when the answer begins. */
  ask(question: Question, signal: AbortSignal): Promise<Answering>;
}
