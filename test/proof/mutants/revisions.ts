// Mistakes in how a job keeps to the code that began it, planted with those of flows.
import type { Change } from './plantation.ts';

export interface FlowChange extends Change {
  readonly mistake: string;
  readonly tests: string;
  readonly titles?: string;
}

const REVISIONS = 'test/spec/revisions.test.ts';

export const REVISION_CHANGES: readonly FlowChange[] = [
  {
    mistake: 'a pinned job is given to another revision',
    file: 'packages/pawl/src/core/revision.ts',
    from: 'return isPinned ? `${type}@${revision}` : type;',
    to: 'return type;',
    tests: REVISIONS,
    titles: 'revisions on sqlite',
  },
  {
    mistake: 'a pinned job is given to another revision, in PostgreSQL',
    file: 'packages/pawl/src/store/postgres/sql/claim.sql',
    from: 'LIMIT 1) h\n      WHERE l.claim_type = ANY (p_types)',
    to: 'LIMIT 1) h\n      WHERE l.type = ANY (p_types)',
    tests: REVISIONS,
    titles: 'revisions on postgres 18',
  },
  {
    mistake: 'the revision of a job changes at its second claim',
    file: 'packages/pawl/src/store/sqlite/claim.ts',
    from: 'const fresh = rows.filter((row) => row[C.revision] === null);',
    to: 'const fresh = rows.filter((row) => row[C.revision] !== undefined);',
    tests: REVISIONS,
    titles: 'revisions on sqlite',
  },
  {
    mistake: 'the revision of a job changes at its second claim, in PostgreSQL',
    file: 'packages/pawl/src/store/postgres/sql/claim.sql',
    from: 'j.owner = p_owner AND j.token = p_token\n      AND j.revision IS NULL;',
    to: 'j.owner = p_owner AND j.token = p_token;',
    tests: REVISIONS,
    titles: 'revisions on postgres 18',
  },
  {
    mistake: 'the revision of a job changes at its second claim, in memory',
    file: 'packages/pawl/src/core/revision.ts',
    from: 'if (revision !== null || offered === null) return { revision, isPinned };',
    to: 'if (offered === null) return { revision, isPinned };',
    tests: REVISIONS,
    titles: 'revisions on memory',
  },
  {
    mistake: 'the first claim leaves a job without a revision',
    file: 'packages/pawl/src/store/sqlite/claim.ts',
    from: 'if (request.revisions !== undefined) fixRevision(',
    to: 'if (request.revisions === undefined) fixRevision(',
    tests: REVISIONS,
    titles: 'revisions on sqlite',
  },
  {
    mistake: 'a worker does not say of which revision it is',
    file: 'packages/pawl/src/worker/claimer.ts',
    from: '...order, ...this.#offered(order), owner',
    to: '...order, owner',
    tests: 'test/spec/revisions-anywhere.test.ts',
    titles: 'taken by its revision',
  },
  {
    mistake: 'any worker of the type is taken for one that offers the revision',
    file: 'packages/pawl/src/engine/limits/why.ts',
    from: '? offered.filter((name) => name === job.revision).length',
    to: '? offered.length',
    tests: REVISIONS,
    titles: 'revisions on sqlite',
  },
];
