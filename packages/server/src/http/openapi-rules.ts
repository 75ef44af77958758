/** A rule that JSON Schema has no keyword for, in the words of the refusal. */
export interface DocRule {
  /** Of the member that is refused: `*` is any name or index, a last `**` anything below. */
  readonly pointer: string;
  /** What the fault says; `…` stands for what differs. */
  readonly rule: string;
}

function rulesAt(prefix: string, rules: Readonly<Record<string, string>>): DocRule[] {
  return Object.entries(rules).map(([pointer, rule]) => ({ pointer: prefix + pointer, rule }));
}

const INPUT_RULES: Readonly<Record<string, string>> = {
  '/input**': '…',
};

/** Of one job that is asked for; what its input has to be is registered with its type. */
const JOB_RULES: Readonly<Record<string, string>> = {
  ...INPUT_RULES,
  '/maxAttempts': 'the lifecycle … fixes how its jobs are retried: leave it out',
  '/backoff': 'the lifecycle … fixes how its jobs are retried: leave it out',
  '/backoff/factor': 'must be 1 or left out: a fixed backoff does not grow',
  '/delayMs': 'must be left out beside a time',
  '/deadlineMs': 'must be left out beside a time',
  '/unique/maxWaitMs': 'must be a whole number from … to …',
  '/submit': 'the lifecycle … has no held state: leave it out',
};

const SCHEDULE_RULES: readonly DocRule[] = [
  ...rulesAt('/job', JOB_RULES),
  ...rulesAt('/rule', {
    '/expression': 'must be a cron expression of 5 or 6 fields, or like @daily',
    '/timeZone': 'must be the name of a time zone, such as Europe/Berlin',
  }),
];

const WEBHOOK_RULES = rulesAt('', { '/url': 'cannot be used: …' });

/** The first is the pattern of the header too, for tools that fill headers with letters alone. */
const CONTENT_RULES: readonly DocRule[] = [
  { pointer: '/name', rule: 'must be 1 to … characters, none of them a control character' },
  { pointer: '/contentType', rule: 'must be a media type, such as text/plain' },
  { pointer: '/content-digest', rule: 'must have a SHA-256, as sha-256=:<base64>:' },
  { pointer: '/content-digest', rule: 'the SHA-256 of what came is …' },
];

const EITHER = rulesAt('', { '': 'give either `ids` or `filter`' });

const PAYLOAD_RULES = rulesAt('', { '/limit': 'must be at most … with `payloads`' });

/** Rules between members of a request, or between a request and what is stored, by operation. */
export const RULES: Readonly<Record<string, readonly DocRule[]>> = {
  acceptJob: rulesAt('', JOB_RULES),
  acceptJobs: [
    ...rulesAt('/jobs/*', {
      ...JOB_RULES,
      '/id':
        'must be a UUID of version 8 with the variant digit 9 … beside `after`, or be left out',
      '/runAt': 'must be left out beside `after`',
      '/unique': 'must be left out beside `after`',
      '/after/*': 'names "…", which is neither a ref of this call nor an id',
    }),
    { pointer: '/jobs/*/delayMs', rule: 'must be left out beside `after`' },
    { pointer: '/jobs/*/submit', rule: 'must be left out beside `after`' },
    ...rulesAt('/jobs/*', {
      '/ref': 'must be a name of its own within the call, and no UUID',
      '/after': 'must not name the job itself',
      '/onNeedFailed': 'must be "run" or "hold": the lifecycle … has no cancellation',
    }),
    { pointer: '/jobs/*/after', rule: 'items … wait for each other: take one `after` away' },
    { pointer: '/jobs/*/after', rule: 'names …: there is no such job' },
  ],
  listJobs: PAYLOAD_RULES,
  listFailedJobs: [
    ...PAYLOAD_RULES,
    ...rulesAt('', { '/cursor': 'must be a `nextCursor` of this list' }),
  ],
  rerunJob: rulesAt('', INPUT_RULES),
  rerunJobs: [...EITHER, ...rulesAt('', { '/cursor': 'must be a `nextCursor` of this list' })],
  replayDeadLetter: rulesAt('', INPUT_RULES),
  cancelJobs: EITHER,
  replayDeadLetters: EITHER,
  followJob: rulesAt('', {
    '/cursor': 'must be a `nextCursor` of this list, or 0.0 for its start',
  }),
  readHistory: rulesAt('', { '/from': 'must lie before `to`' }),
  readPast: [
    { pointer: '/at', rule: 'must not lie in the future' },
    { pointer: '/at', rule: 'must not lie before …, where the log begins' },
  ],
  playWhatIf: [
    ...rulesAt('', {
      '/from': 'must lie before `to`',
      '/workers': 'no worker was seen in the stretch',
      '/slots': 'no worker was seen in the stretch',
      '/queueConcurrency/*': 'the stretch has no job of the queue "…"; it has …',
      '/typeConcurrency/*': 'the stretch has no job of the type "…"; it has …',
      '/runningPerKey/*': 'the stretch has no job of the type "…"; it has …',
      '/runningPerKey/*/key': 'is missing: "…" has no such limit',
      '/rates/*': 'the stretch has no job of the type "…"; it has …',
      '/priorities/*': 'the stretch has no job of the type "…"; it has …',
    }),
    { pointer: '/from', rule: 'asks for time of which the log has nothing' },
    { pointer: '/workers', rule: 'must come to at most …' },
    { pointer: '/slots', rule: 'must come to at most …' },
  ],
  readPastJob: rulesAt('', { '/at': 'must not lie in the future' }),
  startOperation: rulesAt('', {
    '/filter/fingerprint': 'is of jobs that have ended, which cannot be cancelled',
  }),
  claimJobs: rulesAt('', {
    '/revisions/*': 'is not among the types of the claim: add it to `types`',
  }),
  keepStage: rulesAt('', { '/name': 'the type "…" declares no stage "…"; it has …' }),
  beat: rulesAt('', { '/stage': 'the type "…" declares no stage "…"; it has …' }),
  spawnChildren: rulesAt('', {
    '/items': 'must be 1000 in each request but the last, which may have fewer',
    '/items/*/key': 'is the second "…" of the wait',
    '/items/*/type': 'must be "…", as of the first: a wait is for jobs of one type',
    '/items/*/input**': '…',
    '/onParentEnd': '… cannot be cancelled …: use "abandon"',
  }),
  awaitAll: [
    ...rulesAt('', { '/waits': 'must have different names' }),
    { pointer: '/waits', rule: 'the children of "…" were never spawned: spawn them first' },
  ],
  suspendJob: rulesAt('', { '/waits': 'no wait "…" has begun' }),
  changeQueue: [
    ...rulesAt('', {
      '/lowWatermark': 'must be below the high watermark',
      '/pausedForMs': 'must not be given together with pausedUntil',
      '/pausedUntil': 'must lie in the future, before the year 10000',
    }),
    { pointer: '/pausedForMs', rule: 'says how long a pause lasts: leave it out to resume' },
    { pointer: '/pausedUntil', rule: 'says how long a pause lasts: leave it out to resume' },
  ],
  uploadArtifact: CONTENT_RULES,
  putArtifact: CONTENT_RULES,
  runSchedule: rulesAt('', JOB_RULES),
  makeSchedule: SCHEDULE_RULES,
  putSchedule: SCHEDULE_RULES,
  createWebhook: WEBHOOK_RULES,
  changeWebhook: WEBHOOK_RULES,
  putType: [
    ...rulesAt('', {
      '/type': 'must not begin with "…": such types are the platform\'s own',
      '/lifecycle': 'must be one of …',
      '/retry': 'the retry policy of the lifecycle … cannot be changed',
      '/retry/backoff/factor': 'must be 1 or left out: a fixed backoff does not grow',
      '/retryable/*': 'must be the name of an error class, of 1 to … bytes',
      '/fatal/*': 'must be the name of an error class, of 1 to … bytes',
      '/compensation': 'must be another type than this one',
      '/lease/ttlMs': 'must be a whole number from … to …',
      '/lease/heartbeatMs': 'must be a whole number from … to …',
      '/slo/*': 'must not be below …',
      '/stages/*': 'needs 0 ≤ min < max ≤ 100',
      '/stages/*/min': 'overlaps "…", which ends at …',
      '/stages/*/name': '"…" appears twice',
    }),
    { pointer: '/lifecycle', rule: 'must be given for a type that is not registered yet' },
    {
      pointer: '/compensation',
      rule: 'the type "…" is not registered: register it before this one',
    },
    {
      pointer: '/lease/heartbeatMs',
      rule: 'must be at most half of ttlMs, so that one missed heartbeat loses nothing',
    },
  ],
};

/** Rules of every body. */
export const COMMON_RULES: readonly DocRule[] = [
  {
    pointer: '/**',
    rule: '… is not the same after a round trip through a double: send it as a string',
  },
  {
    pointer: '/**',
    rule: 'holds U+0000 or half of a surrogate pair, which databases cannot keep',
  },
  { pointer: '/**', rule: 'is a name that is not allowed' },
];
