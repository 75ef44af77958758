import type { JobFailure } from 'pawl/define';
import { failureOf } from '../work/refusal.ts';

/** Every way in which an ai job fails: its class, and what whoever asked for it can do. */
export const AI_ERRORS = {
  AI_NEEDS_DOCUMENT: {
    class: 'validation_error',
    hint: 'Give `text` or `deckRef`, or configure a model with PAWL_AI_MODEL.',
  },
  AI_SELECTION_EMPTY: {
    class: 'validation_error',
    hint: 'Select slides that the document has; they count from 1.',
  },
  AI_BAD_REQUEST: {
    class: 'validation_error',
    hint: 'Change the request as the model’s server says.',
  },
  AI_CONTEXT_TOO_LONG: {
    class: 'validation_error',
    hint: 'Select fewer slides, or shorten the messages.',
  },
  AI_RATE_LIMITED: {
    class: 'ai_rate_limit',
    hint: 'Ask less often, or ask the provider for a higher limit.',
  },
  AI_QUOTA_EXCEEDED: {
    class: 'quota_exceeded',
    hint: 'Look at the plan and the billing of the account with the provider.',
  },
  AI_OVERLOADED: {
    class: 'model_overloaded',
    hint: 'It is retried automatically and may succeed later.',
  },
  AI_TIMEOUT: {
    class: 'network_timeout',
    hint: 'It is retried automatically; set a larger PAWL_AI_TIMEOUT_MS for slow models.',
  },
  AI_TOOL_CALL_BROKEN: {
    class: 'model_overloaded',
    hint: 'It is retried automatically; another model may know tools better.',
  },
  AI_TOOLS_NEED_MODEL: {
    class: 'validation_error',
    hint: 'Configure a model with PAWL_AI_MODEL, or ask without tools.',
  },
  AI_TOOLS_NOT_KEPT: {
    class: 'validation_error',
    hint: 'Ask without tools, or let the answer be kept: `persist`, and PAWL_AI_PERSIST.',
  },
  AI_STALLED: {
    class: 'network_timeout',
    hint: 'It is retried automatically; set a larger PAWL_AI_STALL_MS for models that think long.',
  },
  AI_BUDGET_SPENT: {
    class: 'quota_exceeded',
    hint: 'Wait for the next day (UTC), ask for less with `maxTokens`, or raise the budget.',
  },
  AI_UNREACHABLE: {
    class: 'network_timeout',
    hint: 'Check OPENAI_BASE_URL and that the server is up.',
  },
  AI_STREAM_BROKEN: {
    class: 'network_timeout',
    hint: 'It is retried automatically, from the beginning.',
  },
  AI_UNAUTHORIZED: {
    class: 'configuration_error',
    hint: 'Set OPENAI_API_KEY, or OPENAI_API_KEY_FILE, to a key that the server accepts.',
  },
  AI_NOT_FOUND: {
    class: 'configuration_error',
    hint: 'Check OPENAI_BASE_URL and PAWL_AI_MODEL.',
  },
  AI_ADDRESS_REFUSED: {
    class: 'configuration_error',
    hint: 'Correct OPENAI_BASE_URL.',
  },
  AI_TOO_LONG: {
    class: 'resource_limit_exceeded',
    hint: 'Ask for a shorter answer, with `maxTokens`.',
  },
} as const;

export type AiCode = keyof typeof AI_ERRORS;

/** `throw refuse('AI_TIMEOUT', 'the model did not answer within 60 s')` */
export function refuse(code: AiCode, what: string, cause?: unknown): JobFailure {
  return failureOf(AI_ERRORS, code, { what, cause });
}
