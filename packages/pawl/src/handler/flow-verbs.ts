import { type Duration, durationMs } from '../core/duration.ts';
import { isPawlError } from '../core/errors.ts';
import { type ChildItem, SPAWN_MAX, type SpawnRequest, type WaitValue } from '../core/flow.ts';
import { PAYLOADS, payloadRefusal } from '../core/payload.ts';
import { type JsonSchema, jsonSchemaOf } from './exposure.ts';
import { fail } from './failure.ts';
import { Offspring } from './offspring.ts';
import type { FlowRun, WaitPlan } from './flow-run.ts';
import { enqueueArgsOf, type JobType } from './job-type.ts';
import { failureFromRefusal, jsonOf } from './json.ts';
import { LazyWait } from './lazy-wait.ts';
import { check, checkInput, type Schema } from './schema.ts';
import type { CallOptions, FlowVerbs, LinkOptions, Spawned } from './waits.ts';

const CALL_OPTIONS: Readonly<Record<keyof CallOptions, true>> = {
  queue: true,
  priority: true,
  delay: true,
  limitKey: true,
  documentId: true,
  metadata: true,
  onFailure: true,
  onParentEnd: true,
};

/** The key of the only child of a wait. */
const ONLY_KEY = '1';

type KeyOf = (item: unknown, index: number) => string | number;

/** The words with which a handler waits. */
export function flowVerbs(run: FlowRun): FlowVerbs {
  const verbs = {
    call: (name: string, job: JobType, ...args: readonly unknown[]) => {
      const { input, options } = enqueueArgsOf<CallOptions>(job, args, CALL_OPTIONS);
      const offspring = oneChild(run, { name, job, input, options });
      return named(run, name, () => offspring.plan((value) => offspring.single(value)));
    },
    callAll: (
      name: string,
      job: JobType,
      inputs: readonly unknown[],
      { key, ...options }: CallOptions & { readonly key?: KeyOf } = {},
    ) => {
      const keys = keysOf(name, inputs, key);
      const items = (): Promise<ChildItem[]> =>
        Promise.all(
          inputs.map((input, index) => itemOf(name, job, { key: keys[index]!, input, options })),
        );
      const offspring = offspringOf(run, { name, job, options, items });
      return named(run, name, () => offspring.plan((value) => offspring.all(value)));
    },
    spawn: async (name: string, job: JobType, ...args: readonly unknown[]) => {
      const { input, options } = enqueueArgsOf<CallOptions>(job, args, CALL_OPTIONS);
      run.claimName(name);
      run.checkOpen();
      const offspring = oneChild(run, { name, job, input, options });
      const [id] = await offspring.spawned();
      const result = new LazyWait(run, name, () =>
        offspring.plan((value) => offspring.single(value)),
      );
      const spawned: Spawned<unknown> = { id: id!, type: job.type, result: () => result };
      return spawned;
    },
    sleep: (first: string | number, duration?: Duration) => {
      if (duration === undefined) return unnamed(run, (name) => timePlan(name, first as Duration));
      return named(run, first as string, () => timePlan(first as string, duration));
    },
    receive: (...args: readonly unknown[]) => receiveWait(run, args),
    messageLink: (name: string, options: LinkOptions = {}) => linkOf(run, name, options),
    first: (
      name: string,
      waits: Readonly<Record<string, LazyWait>>,
      { onLose = 'cancel' as const }: { readonly onLose?: 'cancel' | 'keep' } = {},
    ) => {
      const members = Object.entries(waits).map(([key, wait]) => ({
        key,
        plan: wait.takenBy(`${name}.${key}`, key),
      }));
      return named(run, name, () => firstPlan(name, members, onLose));
    },
  };
  return verbs as unknown as FlowVerbs;
}

function named<Value>(run: FlowRun, name: string, plan: () => WaitPlan<Value>): LazyWait<Value> {
  run.claimName(name);
  return new LazyWait(run, name, plan);
}

function unnamed<Value>(
  run: FlowRun,
  plan: (name: string, key: string) => WaitPlan<Value>,
): LazyWait<Value> {
  return new LazyWait(run, null, plan);
}

const nothing = async (): Promise<void> => undefined;

function timePlan(name: string, duration: Duration): WaitPlan<void> {
  const delayMs = durationMs(duration, '/duration');
  return {
    request: { name, kind: 'time', delayMs },
    prepare: nothing,
    read: async () => ({ value: undefined }),
  };
}

interface Member {
  readonly key: string;
  readonly plan: WaitPlan;
}

function firstPlan(
  name: string,
  members: readonly Member[],
  onLose: 'cancel' | 'keep',
): WaitPlan<{ which: string; value: unknown }> {
  return {
    request: {
      name,
      kind: 'first',
      members: members.map(({ key, plan }) => ({ key, wait: plan.request })),
      onLose,
    },
    prepare: async () => {
      for (const { plan } of members) await plan.prepare();
    },
    read: async (value) => {
      if (value.kind !== 'first') throw unexpected(name, value);
      const { which } = value;
      const winner = members.find(({ key }) => key === which);
      if (winner === undefined) throw unexpected(name, value);
      const read = await winner.plan.read(value.value);
      return read === null ? null : { value: { which, value: read.value } };
    },
  };
}

function receiveWait(run: FlowRun, args: readonly unknown[]): LazyWait {
  const [name, ...rest] = typeof args[0] === 'string' ? args : [null, ...args];
  const schema = isSchema(rest[0]) ? rest[0] : null;
  const options = (schema === null ? rest[0] : rest[1]) as { message?: string } | undefined;
  const plan = (wait: string, message: string): WaitPlan =>
    messagePlan(run, { name: wait, message: options?.message ?? message, schema });
  if (typeof name !== 'string') return unnamed(run, plan);
  return named(run, name, () => plan(name, name));
}

function isSchema(value: unknown): value is Schema {
  // A schema may be a function with members, as arktype's are.
  const isObject = typeof value === 'object' || typeof value === 'function';
  return isObject && value !== null && '~standard' in value;
}

/** What the message should look like, for a form: not every schema can tell, and not briefly. */
function shownSchema(schema: Schema | null): { readonly schema?: JsonSchema } {
  const told = jsonSchemaOf(schema, 'input');
  const { messageSchema: kind } = PAYLOADS;
  const isKept = told !== null && payloadRefusal(kind, JSON.stringify(told), '') === null;
  return isKept ? { schema: told } : {};
}

/** What does not match its schema is set aside, and the wait takes the next message. */
function messagePlan(
  run: FlowRun,
  { name, message, schema }: { name: string; message: string; schema: Schema | null },
): WaitPlan {
  return {
    request: { name, kind: 'message', message, ...shownSchema(schema) },
    prepare: nothing,
    read: async (value) => {
      if (value.kind !== 'message') throw unexpected(name, value);
      const checked = await check(schema, JSON.parse(value.payload));
      if ('value' in checked) return checked;
      const list = checked.faults.map(
        ({ pointer, message: fault }) => `${pointer || '/'}: ${fault}`,
      );
      await run.ask({ do: 'setAside', id: value.id, fault: list.join('; ') });
      return null;
    },
  };
}

/** No wait: it may be asked for inside of a stage or an effect, where mails are sent. */
async function linkOf(run: FlowRun, name: string, { value, ttl }: LinkOptions): Promise<string> {
  run.checkTurn();
  const { url } = await run.ask({
    do: 'link',
    name,
    ...(value === undefined
      ? {}
      : { value: jsonOf(PAYLOADS.message, value, `value of "${name}"`) }),
    ...(ttl === undefined ? {} : { ttlMs: durationMs(ttl, '/ttl') }),
  });
  return url;
}

export function unexpected(name: string, value: WaitValue): Error {
  return fail('internal_bug', `the wait "${name}" was decided as ${value.kind}, which it is not`);
}

interface OneChild {
  readonly name: string;
  readonly job: JobType;
  readonly input: unknown;
  readonly options: CallOptions;
}

function oneChild(run: FlowRun, { name, job, input, options }: OneChild): Offspring {
  const items = async (): Promise<ChildItem[]> => [
    await itemOf(name, job, { key: ONLY_KEY, input, options }),
  ];
  return offspringOf(run, { name, job, options, items });
}

interface Siblings {
  readonly name: string;
  readonly job: JobType;
  readonly options: CallOptions;
  readonly items: () => Promise<readonly ChildItem[]>;
}

function offspringOf(run: FlowRun, siblings: Siblings): Offspring {
  const { name, options } = siblings;
  return new Offspring(run, { name, options, spawn: () => spawnAll(run, siblings) });
}

/** Sends the items in portions. */
async function spawnAll(run: FlowRun, { name, job, options, items }: Siblings): Promise<string[]> {
  const { onFailure = 'throw', onParentEnd } = options;
  const all = await items();
  const ids: string[] = [];
  for (let offset = 0; offset === 0 || offset < all.length; offset += SPAWN_MAX) {
    const request: SpawnRequest = {
      wait: name,
      type: job.type,
      onFailure,
      ...(onParentEnd === undefined ? {} : { onParentEnd }),
      items: all.slice(offset, offset + SPAWN_MAX),
      offset,
      isLast: offset + SPAWN_MAX >= all.length,
    };
    ids.push(...(await run.ask({ do: 'spawn', ...request })).ids);
  }
  return ids;
}

interface ItemOptions {
  readonly key: string;
  readonly input: unknown;
  readonly options: CallOptions;
}

async function itemOf(name: string, job: JobType, item: ItemOptions): Promise<ChildItem> {
  const { key, input, options } = item;
  try {
    await checkInput(job, input);
  } catch (error) {
    throw isPawlError(error) ? failureFromRefusal(error) : error;
  }
  const { delay, onFailure: _mode, onParentEnd: _end, ...rest } = options;
  const more = delay === undefined ? rest : { ...rest, delayMs: durationMs(delay, '/delay') };
  const isPlain = Object.keys(more).length === 0;
  const json = jsonOf(PAYLOADS.input, input, `input of "${name}"`);
  return isPlain ? { key, input: json } : { key, input: json, options: more };
}

function keysOf(name: string, inputs: readonly unknown[], key: KeyOf | undefined): string[] {
  const keys = inputs.map((input, index) => {
    if (key !== undefined) return String(key(input, index));
    if (typeof input === 'string' || typeof input === 'number') return String(input);
    throw fail('configuration_error', `callAll("${name}") needs \`key\`: its items are no texts`);
  });
  const seen = new Set<string>();
  for (const one of keys) {
    if (!seen.has(one)) {
      seen.add(one);
      continue;
    }
    const message = `two items of "${name}" have the key "${one}": make \`key\` tell them apart`;
    throw fail('configuration_error', message);
  }
  return keys;
}
