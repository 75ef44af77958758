// What a client of version 1 relies on: members with their types, event types, states, codes.
import { ERRORS } from '../../src/core/errors.ts';
import { EVENT_TYPES, NOTE_TYPES } from '../../src/core/event.ts';
import { PHASES } from '../../src/core/phase.ts';
import { DeadLetterSchema } from '../../src/http/schema/dead-letter.ts';
import { EnqueueBody } from '../../src/http/schema/enqueue.ts';
import { JobEventSchema, JobSchema } from '../../src/http/schema/job.ts';
import { ClaimSchema, HeartbeatSchema } from '../../src/http/schema/worker.ts';
import { builtInLifecycles } from '../../src/lifecycles/built-in.ts';

export interface Shapes {
  /** By schema: each member and whether it is always there. */
  readonly members: Readonly<Record<string, Readonly<Record<string, 'always' | 'optional'>>>>;
  readonly events: readonly string[];
  readonly phases: readonly string[];
  readonly codes: Readonly<Record<string, number>>;
  /** By lifecycle and version: its rows. */
  readonly lifecycles: Readonly<Record<string, readonly string[]>>;
}

interface ObjectSchema {
  readonly properties: object;
  readonly required?: readonly string[];
}

function membersOf({
  properties,
  required = [],
}: ObjectSchema): Record<string, 'always' | 'optional'> {
  const names = Object.keys(properties);
  return Object.fromEntries(
    names.map((name) => [name, required.includes(name) ? 'always' : 'optional']),
  );
}

export function shapesNow(): Shapes {
  return {
    members: {
      Job: membersOf(JobSchema),
      JobEvent: membersOf(JobEventSchema),
      DeadLetter: membersOf(DeadLetterSchema),
      Claim: membersOf(ClaimSchema),
      Heartbeat: membersOf(HeartbeatSchema),
      NewJob: membersOf(EnqueueBody),
    },
    events: [...EVENT_TYPES, ...NOTE_TYPES],
    phases: [...PHASES],
    codes: Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status])),
    lifecycles: Object.fromEntries(
      builtInLifecycles.map(({ name, version, transitions }) => [
        `${name} v${version}`,
        transitions.map(({ on, from, to, when }) =>
          `${on}: ${from.state}/${from.phase} > ${to.state}/${to.phase} ${when ?? ''}`.trimEnd(),
        ),
      ]),
    ),
  };
}
