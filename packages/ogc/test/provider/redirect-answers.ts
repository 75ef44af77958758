// What providers answer that lead elsewhere, and what becomes of the job.
import { type AnswerRow, BASE, made } from './execution-answers.ts';

export const REDIRECTS: readonly AnswerRow[] = [
  ...[301, 302].map((status): AnswerRow => ({
    title: `[O9] ${status} to another origin is not followed, and the message names it`,
    answers: [{ status, headers: { location: 'https://other.example/there?token=1' } }],
    state: 'failed',
    code: 'STATUS_UNREADABLE',
    message: new RegExp(
      `${status} and redirects to https://other\\.example/there, .* add "https://other\\.example"`,
    ),
  })),
  ...[307, 308].map((status): AnswerRow => ({
    title: `${status} to another origin is not followed, and the message names it`,
    answers: [{ status, headers: { location: 'https://other.example/there' } }],
    state: 'failed',
    code: 'UPSTREAM_UNREACHABLE',
    message: /redirects to https:\/\/other\.example\/there, .* redirect_origins/,
  })),
  ...[307, 308].map((status): AnswerRow => ({
    title: `${status} within the origin is sent there again, as a POST`,
    answers: [
      { status, headers: { location: `${BASE}/processes/echo/execution` } },
      made((reply) => reply),
    ],
    state: 'successful',
    posts: 2,
  })),
  ...[301, 302, 303].map((status): AnswerRow => ({
    title: `${status} within the origin is looked at with a GET`,
    answers: [made((_, id) => ({ status, headers: { location: `${BASE}/jobs/${id}` } }))],
    state: 'successful',
    posts: 1,
  })),
  {
    title: 'redirects without end are a failure that says so',
    answers: [{ status: 308, headers: { location: `${BASE}/processes/echo/execution` } }],
    state: 'failed',
    code: 'UPSTREAM_UNREACHABLE',
    message: /redirects in a loop/,
    posts: 6,
  },
];
