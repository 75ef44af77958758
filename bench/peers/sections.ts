/** A table of the page: what is in it, and what a reader must know of it. */
export interface Section {
  readonly title: string;
  readonly words: readonly string[];
  readonly measures: readonly string[];
}

export const SECTIONS: readonly Section[] = [
  {
    title: 'Jobs a second',
    words: [
      'One caller and 64 callers wait for each of their jobs. A drain begins with all jobs there',
      'and ends when the database holds none that has not ended; a full life is the batch enqueue',
      'and the drain of one process, one after the other. *Produce and drain*: batches of 100 come',
      'in while one worker process works them off. *Raw SQL*: claims and completions of 500 with',
      'nothing of Pawl around them and all safeties kept; on PostgreSQL plain statements on Pawl’s',
      'tables, two connections, on SQLite the store’s own statements in a loop.',
    ],
    measures: [
      'enqueue, 1 caller',
      'enqueue, 64 callers',
      'enqueue by 1,000',
      'drain, 1 process',
      'drain, 2 processes',
      'full life',
      'produce and drain',
      'raw SQL, drain',
    ],
  },
  {
    title: 'Enqueue to start, ms',
    words: [
      'From just before the enqueue call until the handler begins, in two processes; Pawl on',
      'SQLite in one, which owns the file. At idle each job is sent when the one before has begun;',
      'a star marks pollers so slow that few were sent. Under load 500 jobs come in each second; a',
      'star marks who fell behind, and what is shown are the jobs that were begun at all.',
    ],
    measures: [
      'latency at idle, p50',
      'latency at idle, p95',
      'latency at idle, p99',
      'latency at 500/s, p50',
      'latency at 500/s, p95',
      'latency at 500/s, p99',
    ],
  },
  {
    title: 'Mixed work, jobs a second',
    words: [
      'Retries: every fifth job fails once and is tried again with no delay. Graphile Worker’s own',
      'delay (2.7 s before the second attempt) cannot be set and is in its figure; pg-boss settles',
      'each job of a batch by itself there (`perJobResults`). Keys: 100 keys, one job of a key at',
      'a time: Pawl’s `runningPerKey`, Graphile Worker’s named queues, pg-boss’s',
      '`groupConcurrency`.',
    ],
    measures: ['drain, 20 % fail once', 'drain, one a key'],
  },
  {
    title: 'What a job costs',
    words: [
      'Of the worker process during the drain: CPU in µs a job, and its RSS in MB after it. Of the',
      'server during the whole life: CPU in µs, bytes of its log (WAL, or Redis’ file), rows',
      'written (inserted, updated, deleted) a job, and its memory in MB after it, shared pages',
      'once. SQLite has no server: it is part of the worker. Nothing is said of those that were',
      'stopped before they were through.',
    ],
    measures: ['worker CPU', 'worker RSS', 'server CPU', 'server RSS', 'log bytes', 'rows written'],
  },
];
