// What a server answers to one request, and what that says of the outcome.
import type { Outcome } from 'pawl/internal/check/history';

const ANSWER_MS = 6_000;
/** Of these the platform says itself that nothing was changed. */
const REFUSALS: ReadonlySet<string> = new Set([
  'STORE_UNAVAILABLE',
  'STORE_NOT_WRITABLE',
  'SERVER_BUSY',
  'QUEUE_OVERLOADED',
]);

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Null: no answer, or none that could be read. */
export async function send(url: string, body?: unknown, key?: string): Promise<Answer | null> {
  try {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return null;
  }
}

export function outcomeOf(answer: Answer | null): Outcome {
  if (answer === null) return 'unknown';
  if (answer.status < 300) return 'ok';
  const { code } = (answer.body ?? {}) as { code?: string };
  return answer.status < 500 || REFUSALS.has(code ?? '') ? 'fail' : 'unknown';
}

export function textOf({ status, body }: Answer): string {
  const { code = '', detail = '' } = (body ?? {}) as { code?: string; detail?: string };
  return `${status} ${code} ${detail}`;
}
