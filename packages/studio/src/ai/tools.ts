import type { AiInput } from './input.ts';
import { refuse } from './refusal.ts';

/** A function that the model wants to be called by whoever asked. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Checked to be JSON; whether it fits the tool is for the caller to see. */
  readonly arguments: unknown;
}

/** As a server streams it: the name first, then its arguments in pieces. */
export interface ToolCallPart {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

const CALLS_MAX = 64;
const ARGUMENTS_LENGTH_MAX = 100_000;

/** What a request says of tools, in the words of chat completions. */
export function toolsOf({ tools, toolChoice }: AiInput): object {
  if (tools === undefined) return {};
  return {
    tools: tools.map((tool) => ({ type: 'function', function: tool })),
    ...(toolChoice === undefined ? {} : { tool_choice: choiceOf(toolChoice) }),
  };
}

function choiceOf(choice: string): unknown {
  const isWord = choice === 'auto' || choice === 'none' || choice === 'required';
  return isWord ? choice : { type: 'function', function: { name: choice } };
}

/** Puts together what arrives in pieces. */
export class ToolCallsOnTheWay {
  readonly #calls: { id: string; name: string; text: string }[] = [];

  add(parts: readonly ToolCallPart[]): void {
    for (const [position, part] of parts.entries()) {
      const index = part.index ?? position;
      if (!Number.isInteger(index) || index < 0 || index >= CALLS_MAX) {
        throw refuse('AI_TOOL_CALL_BROKEN', `the model wants more than ${CALLS_MAX} tools at once`);
      }
      const call = (this.#calls[index] ??= { id: '', name: '', text: '' });
      if (part.id !== undefined && part.id !== '') call.id = part.id;
      call.name += part.function?.name ?? '';
      call.text += part.function?.arguments ?? '';
      if (call.text.length > ARGUMENTS_LENGTH_MAX) {
        throw refuse('AI_TOOL_CALL_BROKEN', `the arguments for ${call.name} have no end`);
      }
    }
  }

  whole(): readonly ToolCall[] {
    return this.#calls.filter(Boolean).map(({ id, name, text }, index) => {
      return { id: id === '' ? `call_${index + 1}` : id, name, arguments: argumentsIn(name, text) };
    });
  }
}

function argumentsIn(name: string, text: string): unknown {
  try {
    return text.trim() === '' ? {} : (JSON.parse(text) as unknown);
  } catch (error) {
    const what = `the arguments that the model gives to ${name} are not JSON`;
    throw refuse('AI_TOOL_CALL_BROKEN', what, error);
  }
}
