import type { WorkerJson } from '../../../../pawl/src/contract/worker-sign.ts';

/** The colour of each standing. */
export const LEVELS = { working: 'succeeded', draining: 'waiting', silent: 'failed' } as const;

/** Ids of workers end in a UUID, whose end tells them apart. */
export function shortName(id: string): string {
  return id.replace(/[\da-f-]{28}([\da-f]{8})$/, '…$1');
}

/** How many jobs it has, of how many it could have. */
export function Slots({
  worker: { busy, slots },
}: {
  readonly worker: Pick<WorkerJson, 'busy' | 'slots'>;
}) {
  if (slots === null) return <>{busy}</>;
  return (
    <div class="budget">
      <div
        class="bar ready"
        role="meter"
        aria-label="Slots in use"
        aria-valuenow={busy}
        aria-valuemin={0}
        aria-valuemax={slots}
      >
        <i style={{ width: `${Math.min(100, (100 * busy) / slots)}%` }} />
      </div>
      <span>
        {busy} of {slots}
      </span>
    </div>
  );
}
