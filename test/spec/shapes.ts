// What a client of version 1 relies on: members with their types, event types, states, codes.
import { ERRORS } from 'pawl/internal/core/errors';
import { EVENT_TYPES, NOTE_TYPES } from 'pawl/internal/core/event';
import { PHASES } from 'pawl/internal/core/phase';
import { DeadLetterSchema } from 'pawl/internal/contract/dead-letter';
import { EnqueueBody } from 'pawl/internal/contract/enqueue';
import { JobEventSchema, JobSchema } from 'pawl/internal/contract/job';
import { ClaimSchema, HeartbeatSchema } from 'pawl/internal/contract/worker';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';

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
