import type { Fault } from '../../core/errors.ts';
import { checkLimits, type LimitPolicy } from '../../core/limits.ts';
import { AMOUNT_FAULT, amountOf } from './amount.ts';
import type { Changes } from './changes.ts';
import type { Stretch } from './stretch.ts';

const LOAD_MAX = 100;
const SLOTS_MAX = 100_000;
const NO_LIMITS: LimitPolicy = { activePerDocument: false, runningPerKey: null, rate: null };

/** Everything that is wrong with changes of a stretch, by JSON pointer. */
export function faultsOf(stretch: Stretch, changes: Changes): Fault[] {
  return [
    ...nameFaults(stretch, changes),
    ...amountFaults(stretch, changes),
    ...limitFaults(stretch, changes),
  ];
}

/** A name that no job of the stretch has is a mistake: it would change nothing. */
function nameFaults({ jobs }: Stretch, changes: Changes): Fault[] {
  const names = {
    type: new Set(jobs.map(({ type }) => type)),
    queue: new Set(jobs.map(({ queue }) => queue)),
  };
  const maps = [
    ['queueConcurrency', 'queue'],
    ['typeConcurrency', 'type'],
    ['runningPerKey', 'type'],
    ['rates', 'type'],
    ['priorities', 'type'],
  ] as const;
  return maps.flatMap(([member, scope]) =>
    Object.keys(changes[member] ?? {}).flatMap((name): Fault[] => {
      if (names[scope].has(name)) return [];
      const some = [...names[scope]].toSorted().slice(0, 10).join(', ');
      const message =
        some === ''
          ? `the stretch has no job: choose another one`
          : `the stretch has no job of the ${scope} "${name}"; it has ${some}`;
      return [{ pointer: pointerOf(member, name), message }];
    }),
  );
}

function pointerOf(member: string, name: string): string {
  return `/${member}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function amountFaults({ workers }: Stretch, changes: Changes): Fault[] {
  const faults: Fault[] = [];
  for (const member of ['workers', 'slots'] as const) {
    const text = changes[member];
    if (text === undefined) continue;
    const befores = member === 'workers' ? [workers.length] : workers.map(({ slots }) => slots);
    const amounts = befores.map((before) => amountOf(text, before));
    const total = amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0);
    if (amountOf(text, 1) === null) faults.push({ pointer: `/${member}`, message: AMOUNT_FAULT });
    else if (workers.length === 0) {
      faults.push({ pointer: `/${member}`, message: 'no worker was seen in the stretch' });
    } else if (total > SLOTS_MAX) {
      faults.push({ pointer: `/${member}`, message: `must come to at most ${SLOTS_MAX}` });
    }
  }
  const { load } = changes;
  if (load !== undefined && !(load > 0 && load <= LOAD_MAX)) {
    faults.push({ pointer: '/load', message: `must be more than 0 and at most ${LOAD_MAX}` });
  }
  return faults;
}

function limitFaults({ jobs }: Stretch, changes: Changes): Fault[] {
  const faults: Fault[] = [];
  const limited = new Set(
    jobs.flatMap(({ type, limits }) => ((limits?.runningPerKey ?? null) === null ? [] : [type])),
  );
  for (const [type, { max, key }] of Object.entries(changes.runningPerKey ?? {})) {
    const pointer = pointerOf('runningPerKey', type);
    if (key === undefined && !limited.has(type)) {
      faults.push({
        pointer: `${pointer}/key`,
        message: `is missing: "${type}" has no such limit`,
      });
    }
    const runningPerKey = { max, key: key ?? 'documentId' };
    faults.push(...renamed({ ...NO_LIMITS, runningPerKey }, '/limits/runningPerKey', pointer));
  }
  for (const [type, { perUser = null, perOrganisation = null }] of Object.entries(
    changes.rates ?? {},
  )) {
    const rate = { perUser, perOrganisation };
    faults.push(...renamed({ ...NO_LIMITS, rate }, '/limits/rate', pointerOf('rates', type)));
  }
  for (const member of ['queueConcurrency', 'typeConcurrency'] as const) {
    for (const [name, max] of Object.entries(changes[member] ?? {})) {
      if (max === null || (Number.isInteger(max) && max >= 1)) continue;
      const message = 'must be a whole number from 1, or null for no bound';
      faults.push({ pointer: pointerOf(member, name), message });
    }
  }
  return faults;
}

function renamed(limits: LimitPolicy, from: string, to: string): Fault[] {
  return checkLimits(limits).map(({ pointer, message }) => ({
    pointer: pointer.replace(from, to),
    message,
  }));
}
