import { ADMISSION_FUNCTIONS } from './admission-functions.ts';
import { ALIKE_FUNCTIONS } from './alike-functions.ts';
import { APPLY_FUNCTIONS, COUNTING_APPLY_FUNCTIONS } from './apply-functions.ts';
import { BRIEF_CLAIM } from './claim-brief-function.ts';
import { CLAIM_FUNCTION, LEAN_CLAIM_FUNCTION, QUICK_CLAIM_FUNCTION } from './claim-function.ts';
import { CONTROL_SCHEMA } from './control-schema.ts';
import { FIXED_GUARDS } from './guard.ts';
import { ENQUEUE, INSERT_FUNCTIONS } from './insert-functions.ts';
import { RANK_SCHEMA } from './rank-schema.ts';
import { READ_FUNCTIONS } from './read-functions.ts';
import { RECORD_SCHEMA } from './record-schema.ts';
import { RENEW_FUNCTION } from './renew-function.ts';
import { RETENTION_SCHEMA } from './retention-schema.ts';
import { DEADLINE_SCHEMA } from './deadline-schema.ts';
import { SCHEMA } from './schema.ts';
import { replacing } from './sql-text.ts';
import { SLOT_FUNCTIONS } from './slot-functions.ts';
import { TAIL_FUNCTIONS, TAIL_SCHEMA } from './tail-schema.ts';
import { INSERT_TEXT } from './text-functions.ts';
import { ASIDE_INDEX } from './tally-schema.ts';
import { UNIQUE_FUNCTIONS } from './unique-function.ts';
import { VALVE_SCHEMA } from './valve-schema.ts';

/** An index of a table in use: it is built while everybody goes on writing. */
export interface ConcurrentIndex {
  readonly name: string;
  /** What comes after ON; a partitioned table cannot be had. */
  readonly on: string;
}

/**
 * One step forward; there is none back, and a released one is never changed. The code of the
 * release before runs on beside it: so a step adds (columns that may be null, functions of a new
 * version, tables) and takes nothing away that such code still uses, and it alters at most one
 * table that is in use.
 */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /** In one transaction. */
  readonly statements?: readonly string[];
  /** Instead of statements. */
  readonly indexes?: readonly ConcurrentIndex[];
  /**
   * What takes something away names the first version whose code did without it: older code is
   * refused from then on. Left out, the floor stays where it is.
   */
  readonly floor?: number;
}

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'jobs, events, notes, feed and the verbs',
    statements: [
      ...SCHEMA,
      RECORD_SCHEMA,
      FIXED_GUARDS,
      VALVE_SCHEMA,
      ...ADMISSION_FUNCTIONS,
      ...INSERT_FUNCTIONS,
      CLAIM_FUNCTION,
      ...APPLY_FUNCTIONS,
      RENEW_FUNCTION,
      ...READ_FUNCTIONS,
      ...DEADLINE_SCHEMA,
      ...UNIQUE_FUNCTIONS,
      ...RETENTION_SCHEMA,
    ],
  },
  { version: 2, name: 'readers of the log', statements: TAIL_SCHEMA },
  { version: 3, name: 'turns and throttles', statements: CONTROL_SCHEMA },
  {
    version: 4,
    name: 'a written place in line, and a leaner claim',
    statements: [
      ...RANK_SCHEMA,
      ...replacing([
        ...INSERT_FUNCTIONS,
        ...APPLY_FUNCTIONS,
        ...COUNTING_APPLY_FUNCTIONS,
        ...UNIQUE_FUNCTIONS,
      ]),
      LEAN_CLAIM_FUNCTION,
    ],
  },
  // A set of ids does not become smaller, and trying to compress it was dear.
  {
    version: 5,
    name: 'a feed that is not compressed',
    statements: ['ALTER TABLE pawl.feed ALTER COLUMN jobs SET STORAGE EXTERNAL'],
  },
  {
    version: 6,
    name: 'times that never go back within a job',
    statements: replacing([...APPLY_FUNCTIONS, ...COUNTING_APPLY_FUNCTIONS, RENEW_FUNCTION]),
  },
  {
    version: 7,
    name: 'many jobs of one kind at less',
    statements: [...ALIKE_FUNCTIONS, QUICK_CLAIM_FUNCTION],
  },
  // A claim that is repeated looks for its own jobs, not through all that its owner holds.
  {
    version: 8,
    name: 'look-ups of a claim and of bad ends',
    indexes: [
      { name: 'jobs_claims', on: 'pawl.jobs (lease_owner, claim_request) WHERE phase IN (2, 3)' },
      { name: 'jobs_ended_badly', on: 'pawl.jobs (tenant_id, phase, id) WHERE phase > 5' },
    ],
  },
  // Whoever looked there finds the same in the index that begins with the same column.
  {
    version: 9,
    name: 'one index of owned jobs',
    statements: ['DROP INDEX IF EXISTS pawl.jobs_owned'],
  },
  {
    version: 10,
    name: 'items of a call in their order, and tokens that come back',
    statements: replacing([...INSERT_FUNCTIONS, ...APPLY_FUNCTIONS, ...COUNTING_APPLY_FUNCTIONS]),
  },
  {
    version: 11,
    name: 'a claim that says once what its jobs have in common',
    statements: BRIEF_CLAIM,
  },
  { version: 12, name: 'slots of many keys at once', statements: SLOT_FUNCTIONS },
  { version: 13, name: 'lines of jobs that are kept back', indexes: [ASIDE_INDEX] },
  {
    version: 14,
    name: 'a tail that looks into the day of a job only',
    statements: replacing(TAIL_FUNCTIONS),
  },
  {
    version: 15,
    name: 'news of jobs that plain SQL has enqueued',
    statements: replacing([ENQUEUE]),
  },
  { version: 20, name: 'jobs as one text', statements: [INSERT_TEXT] },
];
