import { isPawlError } from 'pawl';

/** Pawl's errors know their status, their code and what to do next. */
export function problem(error: unknown): Response {
  if (!isPawlError(error)) throw error;
  const { status, code, message, hint } = error;
  const headers = { 'content-type': 'application/problem+json' };
  return Response.json({ status, code, detail: message, hint }, { status, headers });
}
