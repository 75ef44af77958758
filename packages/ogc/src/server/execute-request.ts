import { type Fault, invalid } from 'pawl/define';
import type { ProcessDescription } from '../model/process-description.ts';
import type { ExecuteRequest } from '../model/process-source.ts';

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whom to tell how an execution fares: addresses by what they want to hear. */
export interface Subscriber {
  readonly successUri?: string;
  readonly inProgressUri?: string;
  readonly failedUri?: string;
}

/** The schema of version 1.0 writes one of them in two ways. */
const SUBSCRIPTIONS = [
  { name: 'successUri', other: 'successUrl' },
  { name: 'inProgressUri', other: 'inProgressUrl' },
  { name: 'failedUri', other: 'failedUrl' },
] as const;

/** The body of an execution, its shape checked; throws VALIDATION_ERROR with every fault. */
export function readExecuteRequest(body: unknown): ExecuteRequest {
  if (!isMembers(body)) {
    throw invalid([{ pointer: '', message: 'must be an object with `inputs`' }]);
  }
  const { inputs, outputs: asked, response, subscriber, ...rest } = body;
  const outputs = outputsIn(asked);
  const faults: Fault[] = [];
  if (inputs !== undefined && !isMembers(inputs)) {
    faults.push({ pointer: '/inputs', message: 'must be an object of inputs by their ids' });
  }
  faults.push(...checkOutputs(outputs));
  if (response !== undefined && response !== 'raw' && response !== 'document') {
    faults.push({ pointer: '/response', message: 'must be "raw" or "document"' });
  }
  faults.push(...checkSubscriber(subscriber));
  if (faults.length > 0) throw invalid(faults);
  return {
    ...rest,
    ...(isMembers(inputs) ? { inputs } : {}),
    ...(isMembers(outputs) ? { outputs } : {}),
    ...(response === undefined ? {} : { response: response as 'raw' | 'document' }),
    ...(isMembers(subscriber) ? { subscriber: { ...subscriberOf(subscriber) } } : {}),
  };
}

/** Some clients list the ids of the outputs they want. */
function outputsIn(given: unknown): unknown {
  if (!Array.isArray(given) || !given.every((one) => typeof one === 'string')) return given;
  return Object.fromEntries(given.map((id) => [id, {}]));
}

function checkOutputs(outputs: unknown): Fault[] {
  if (outputs === undefined) return [];
  if (!isMembers(outputs)) {
    return [{ pointer: '/outputs', message: 'must be an object of outputs by their ids' }];
  }
  return Object.entries(outputs).flatMap(([id, wish]) => {
    const pointer = `/outputs/${id}`;
    if (!isMembers(wish)) return [{ pointer, message: 'must be an object' }];
    const mode = wish['transmissionMode'];
    if (mode === undefined || mode === 'value' || mode === 'reference') return [];
    const message = 'must be "value" or "reference"';
    return [{ pointer: `${pointer}/transmissionMode`, message }];
  });
}

function checkSubscriber(subscriber: unknown): Fault[] {
  if (subscriber === undefined) return [];
  if (!isMembers(subscriber)) return [{ pointer: '/subscriber', message: 'must be an object' }];
  return SUBSCRIPTIONS.flatMap(({ name, other }) => {
    const url = subscriber[name] ?? subscriber[other];
    if (url === undefined) return [];
    const isAddress = typeof url === 'string' && url.length <= 2_048 && URL.canParse(url);
    if (isAddress && /^https?:/i.test(url)) return [];
    return [{ pointer: `/subscriber/${name}`, message: 'must be an http or https address' }];
  });
}

function subscriberOf(given: Members): Subscriber {
  const known = SUBSCRIPTIONS.flatMap(({ name, other }) => {
    const url = given[name] ?? given[other];
    return url === undefined ? [] : [[name, url]];
  });
  return Object.fromEntries(known) as Subscriber;
}

/** Throws where an output is asked for that the process does not have. */
export function checkAskedOutputs(
  { outputs = {} }: ExecuteRequest,
  description: ProcessDescription,
): void {
  const known = Object.keys(description.outputs);
  if (known.length === 0) return;
  const message = `is not an output of this process; it has ${known.join(', ')}`;
  const strange = Object.keys(outputs).filter((id) => !known.includes(id));
  if (strange.length === 0) return;
  throw invalid(strange.map((id) => ({ pointer: `/outputs/${id}`, message })));
}
