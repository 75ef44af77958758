// What providers answer who are busy, away, or have ended the job already.
import { type AnswerRow, made } from './execution-answers.ts';

const busy = (status: number, seconds: string) => ({
  status,
  headers: { 'retry-after': seconds },
});

export const LATER: readonly AnswerRow[] = [
  ...[502, 503, 504].map((status): AnswerRow => ({
    title: `${status} with a Retry-After of a minute is sent again, after it`,
    answers: [busy(status, '60'), made((reply) => reply)],
    state: 'successful',
    posts: 2,
  })),
  {
    title: '503 with a Retry-After of a minute counts as an attempt each time',
    answers: [busy(503, '60')],
    state: 'failed',
    code: 'UPSTREAM_ERROR',
    posts: 3,
  },
  {
    title: 'a Retry-After that is no time is none',
    answers: [busy(503, 'soon'), made((reply) => reply)],
    state: 'successful',
    posts: 2,
  },
  {
    title: 'a Retry-After in the past is none',
    answers: [busy(503, 'Wed, 21 Oct 2015 07:28:00 GMT'), made((reply) => reply)],
    state: 'successful',
    posts: 2,
  },
  ...[401, 403, 407].map((status): AnswerRow => ({
    title: `${status} says what to check`,
    answers: [{ status, body: { title: 'who are you?' } }],
    state: 'failed',
    code: 'UPSTREAM_ERROR',
    message: /refused the gateway's credentials, with \d+: who are you\?: check its auth/,
    posts: 1,
  })),
  {
    title: 'a provider that is unavailable for six attempts is waited for where that is configured',
    answers: [...Array.from({ length: 6 }, () => ({ status: 503 })), made((reply) => reply)],
    settings: { unavailable_wait: 600 },
    state: 'successful',
    posts: 7,
  },
  {
    title: 'a provider that stays unavailable longer than unavailable_wait fails the job',
    answers: [{ status: 504 }],
    settings: { unavailable_wait: 12, forward_max_retries: 1 },
    state: 'failed',
    code: 'UPSTREAM_ERROR',
    posts: 4,
  },
  {
    title: 'what a provider refuses is not waited for',
    answers: [{ status: 400, body: { title: 'no' } }],
    settings: { unavailable_wait: 600 },
    state: 'failed',
    code: 'UPSTREAM_ERROR',
    posts: 1,
  },
  {
    title: 'a reset after the job was made and has ended: probing adopts it',
    answers: [
      made((_, __, bench) => {
        bench.simulator.statuses = ['successful'];
        return 'reset';
      }),
    ],
    state: 'successful',
    posts: 1,
  },
  {
    title: 'a reset after the job was made and has failed: probing adopts it',
    answers: [
      made((_, __, bench) => {
        bench.simulator.statuses = ['failed'];
        return 'reset';
      }),
    ],
    state: 'failed',
    code: 'REMOTE_FAILED',
    posts: 1,
  },
];
