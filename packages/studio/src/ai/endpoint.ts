import type { Outgoing, OutgoingResponse } from 'pawl/define';
import { eventData } from './event-data.ts';
import { brokenStream, failureFrom, failureIn, failureOfStatus } from './endpoint-failure.ts';
import type { Answered, Answering, Model, Question, TokenUsage } from './model.ts';
import { messagesOf } from './prompt.ts';
import { type StallLimit, unstalled } from './unstalled.ts';
import { type ToolCallPart, ToolCallsOnTheWay, toolsOf } from './tools.ts';

/** A server that speaks the chat completions of OpenAI. */
export interface EndpointOptions {
  /** With its version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly model: string;
  readonly timeoutMs: number;
  readonly stall: StallLimit;
  readonly outgoing: Pick<Outgoing, 'fetch'>;
}

interface ChunkMessage {
  readonly content?: string | null;
  readonly tool_calls?: readonly ToolCallPart[];
}

interface Chunk {
  readonly model?: string;
  readonly choices?: readonly {
    readonly delta?: ChunkMessage;
    readonly message?: ChunkMessage;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: {
    readonly prompt_tokens?: number;
    readonly completion_tokens?: number;
    readonly total_tokens?: number;
  } | null;
  readonly error?: unknown;
}

/** The model behind an endpoint. Answers are streamed from the first token on. */
export function endpointModel(options: EndpointOptions): Model {
  return {
    ask: async (question, signal) => {
      const model = question.input.model ?? options.model;
      const response = await send(options, bodyOf(question, model), signal);
      if (!response.ok) throw await failureOfStatus(response);
      return answeringOf(response, { model, stall: options.stall });
    },
  };
}

function bodyOf(question: Question, model: string): string {
  const { temperature, maxTokens } = question.input;
  return JSON.stringify({
    model,
    messages: messagesOf(question),
    stream: true,
    stream_options: { include_usage: true },
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...toolsOf(question.input),
  });
}

async function send(
  { outgoing, baseUrl, apiKey, timeoutMs }: EndpointOptions,
  body: string,
  signal: AbortSignal,
): Promise<OutgoingResponse> {
  const authorization = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
  try {
    return await outgoing.fetch(`${baseUrl.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream, application/json',
        ...authorization,
      },
      body,
      timeoutMs,
      signal,
    });
  } catch (error) {
    throw failureFrom(error);
  }
}

function answeringOf(
  response: OutgoingResponse,
  { model: asked, stall }: { readonly model: string; readonly stall: StallLimit },
): Answering {
  return {
    async *pieces(): AsyncGenerator<string, Answered> {
      let model = asked;
      let finishReason: string | null = null;
      let tokenUsage: TokenUsage | null = null;
      const toolCalls = new ToolCallsOnTheWay();
      for await (const chunk of chunksOf(response, stall)) {
        if (chunk.error !== undefined) throw failureIn(chunk.error);
        const choice = chunk.choices?.[0];
        const text = choice?.delta?.content ?? choice?.message?.content ?? '';
        toolCalls.add(choice?.delta?.tool_calls ?? choice?.message?.tool_calls ?? []);
        model = chunk.model ?? model;
        finishReason = choice?.finish_reason ?? finishReason;
        tokenUsage = usageOf(chunk) ?? tokenUsage;
        if (text !== '') yield text;
      }
      if (finishReason === null) throw brokenStream('it ended before the answer did');
      return { model, finishReason, tokenUsage, citations: [], toolCalls: toolCalls.whole() };
    },
    discard: () => response.discard(),
  };
}

async function* chunksOf(response: OutgoingResponse, stall: StallLimit): AsyncGenerator<Chunk> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  try {
    if (!isStream) {
      yield (await response.json()) as Chunk;
      return;
    }
    for await (const data of eventData(unstalled(response.body, stall))) {
      if (data === '[DONE]') return;
      yield chunkIn(data);
    }
  } catch (error) {
    throw failureFrom(error);
  }
}

function chunkIn(data: string): Chunk {
  try {
    return JSON.parse(data) as Chunk;
  } catch (error) {
    throw brokenStream('a chunk of it is not JSON', error);
  }
}

function usageOf({ usage }: Chunk): TokenUsage | null {
  if (usage === undefined || usage === null) return null;
  const { prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = usage;
  return { prompt, completion, total: usage.total_tokens ?? prompt + completion, unit: 'tokens' };
}
