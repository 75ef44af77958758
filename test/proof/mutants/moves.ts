// Mistakes in how tenants move between databases, planted with those of flows.
import type { FlowChange } from './revisions.ts';

const MOVES = 'test/spec/tenant-moves.test.ts';
const CELLS = 'packages/pawl/src/store/cells';
const SQLITE = 'packages/pawl/src/store/sqlite';
const POSTGRES = 'packages/pawl/src/store/postgres/sql';

export const MOVE_CHANGES: readonly FlowChange[] = [
  {
    mistake: 'the old cell takes new jobs of a moved tenant',
    file: `${SQLITE}/birth.ts`,
    from: '  names.checkStays(job.tenant);\n',
    to: '',
    tests: MOVES,
    titles: 'the old cell refuses',
  },
  {
    mistake: 'the old cell takes records of a moved tenant',
    file: `${SQLITE}/records.ts`,
    from: "    if (key.kind.keptIn !== 'first') names.checkStays(key.tenant);\n",
    to: '',
    tests: MOVES,
    titles: 'the old cell refuses',
  },
  {
    mistake: 'the old cell takes what is written for a moved tenant, in PostgreSQL',
    file: `${POSTGRES}/moving.sql`,
    from: 'WHERE t.number = p_tenant AND t.left_for IS NOT NULL;',
    to: 'WHERE t.number = p_tenant AND false;',
    tests: MOVES,
    titles: 'the old cell refuses',
  },
  {
    mistake: 'a completion that the old cell of a moved tenant did not find is given up',
    file: `${CELLS}/cells.ts`,
    from: 'if ((standing?.leftFor ?? null) !== null) left.add(tenant);',
    to: '',
    tests: MOVES,
    titles: 'a handler that runs',
  },
  {
    mistake: 'a cursor loses a cell of a moved tenant',
    file: `${CELLS}/cursor.ts`,
    from: 'for (const [name, from] of positions) {',
    to: 'for (const [name, from] of [...positions].slice(0, 1)) {',
    tests: MOVES,
    titles: 'who follows the log',
  },
  {
    mistake: 'live jobs of a moved tenant come a second time',
    file: `${POSTGRES}/moving.sql`,
    from: 'IF job_exists(f.tenant, f.id) THEN RETURN; END IF;',
    to: 'PERFORM drop_job(f.tenant, f.id);',
    tests: MOVES,
    titles: 'what a job has gone through',
  },
  {
    mistake: 'a moved tenant leaves its live jobs in the old cell, too',
    file: `${POSTGRES}/moving.sql`,
    from: '  DELETE FROM live j WHERE j.id = ANY (v_ids) AND j.tenant = t.number;\n',
    to: '',
    tests: MOVES,
    titles: 'the old cell refuses',
  },
  {
    mistake: 'jobs of a moved tenant that ended after the copy stay behind',
    file: `${SQLITE}/moving-out.ts`,
    from: 'const parts = [rest, ...[...live, ...touched]',
    to: 'const parts = [rest, ...[...live]',
    tests: MOVES,
    titles: 'a busy tenant',
  },
  {
    mistake: 'the texts of a moved tenant are not carried over',
    file: `${SQLITE}/moving-in.ts`,
    from: 'for (const row of job.notes) {',
    to: 'for (const row of job.notes.slice(1)) {',
    tests: MOVES,
    titles: 'what a job has gone through',
  },
];
