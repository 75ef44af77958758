import { isPawlError, PawlError } from '../../core/errors.ts';
import type {
  ChildResult,
  FlowAnswer,
  FlowCall,
  WaitRequest,
  WaitState,
  WaitValue,
} from '../../core/flow.ts';
import { childIdOf } from '../../core/ids.ts';
import type { JobRef } from '../../core/job.ts';
import type { BeatResult, Ownership } from '../../engine/owner.ts';
import type { Settlement } from '../../engine/settle.ts';
import { CodecError, type PayloadCodec } from '../payload-codec.ts';
import { linkRefusal } from '../sealed.ts';
import { FlowNames } from './flow-names.ts';
import { decodeError, placeIn } from './read.ts';

type Ask = (held: Ownership, call: FlowCall) => Promise<FlowAnswer>;

/** What is shown of a message that its receiver's schema refused: more would tell what it said. */
const MISFIT = "it does not match its receiver's schema; what is wrong is encrypted with it";

/**
 * What the handlers of a worker ask of their waits, in ciphertext: inputs of children and messages
 * are sealed, names and keys are digests, and schemas stay here.
 */
export class EncodedFlows {
  readonly #codec: PayloadCodec;
  readonly #ask: Ask;
  /** By job, while this worker has it: digests tell nothing, and handlers want their keys back. */
  readonly #names: Map<string, FlowNames> = new Map();

  constructor(codec: PayloadCodec, ask: Ask) {
    this.#codec = codec;
    this.#ask = ask;
  }

  /** With its end this worker has nothing more to do with a job. */
  ended(settlement: Settlement): Settlement {
    this.#forget(settlement.ref);
    return settlement;
  }

  /** Nor with one that it has lost. */
  heard(beats: readonly Ownership[], results: readonly BeatResult[]): void {
    for (const [index, { ref }] of beats.entries()) {
      const result = results[index]!;
      const isLost = result.kind === 'refused' && result.error.code === 'LEASE_LOST';
      if (isLost) this.#forget(ref);
    }
  }

  #forget({ tenant, id }: JobRef): void {
    this.#names.delete(`${tenant}/${id}`);
  }

  /** A message that cannot be read is set aside, and the wait asked again. */
  async ask(held: Ownership, call: FlowCall): Promise<FlowAnswer> {
    const names = this.#namesOf(held.ref);
    const flow = { codec: this.#codec, names };
    for (;;) {
      const answer = await this.#asked(held, encodeFlow(flow, held, call), names);
      try {
        return decodeFlow(flow, held, { call, answer });
      } catch (error) {
        if (!(error instanceof UnreadableMessage)) throw error;
        await this.#ask(held, { do: 'setAside', id: error.id, fault: error.message });
      }
    }
  }

  async #asked(held: Ownership, call: FlowCall, names: FlowNames): Promise<FlowAnswer> {
    try {
      return await this.#ask(held, call);
    } catch (error) {
      if (!isPawlError(error)) throw error;
      if (error.code === 'LEASE_LOST') this.#forget(held.ref);
      const { code, message, faults, details } = error;
      const plain = { faults, details: { ...details }, cause: error };
      throw new PawlError(code, names.plainText(message), plain);
    }
  }

  #namesOf(ref: JobRef): FlowNames {
    const key = `${ref.tenant}/${ref.id}`;
    const known = this.#names.get(key) ?? new FlowNames(this.#codec, ref);
    this.#names.set(key, known);
    return known;
  }
}

interface Flow {
  readonly codec: PayloadCodec;
  readonly names: FlowNames;
}

function encodeFlow(flow: Flow, held: Ownership, call: FlowCall): FlowCall {
  const { names } = flow;
  switch (call.do) {
    case 'spawn':
      return encodeSpawn(flow, held, call);
    case 'decide':
      return { ...call, waits: call.waits.map((wait) => encodeWait(names, wait)) };
    case 'results':
      return { ...call, wait: names.wait(call.wait) };
    case 'setAside':
      return { ...call, fault: MISFIT };
    case 'link':
      throw linkRefusal(held.ref.id);
  }
}

type Spawn = Extract<FlowCall, { do: 'spawn' }>;

function encodeSpawn({ codec, names }: Flow, { ref, known }: Ownership, call: Spawn): FlowCall {
  const { tenant, id } = ref;
  const parent = { tenant, id, createdAt: known!.createdAt };
  const wait = names.wait(call.wait);
  return {
    ...call,
    wait,
    items: call.items.map((item) => {
      const key = names.child(call.wait, item.key);
      const child = { tenant, id: childIdOf(parent, wait, key) };
      return {
        ...item,
        key,
        input: codec.encodeJson(placeIn(child, 'input'), item.input),
        // Encrypted anew it is another text: the plain one is what is compared.
        inputHash: codec.hash(tenant, item.input),
      };
    }),
  };
}

function encodeWait(names: FlowNames, wait: WaitRequest): WaitRequest {
  const name = names.wait(wait.name);
  switch (wait.kind) {
    case 'message':
      return { name, kind: wait.kind, message: names.message(wait.message) };
    case 'first':
      return {
        ...wait,
        name,
        members: wait.members.map((member) => ({
          key: names.member(wait.name, member.key),
          wait: encodeWait(names, member.wait),
        })),
      };
    default:
      return { ...wait, name };
  }
}

/** A message that was not sealed for its job: nobody who has the key has sent it. */
class UnreadableMessage extends Error {
  readonly id: string;

  constructor(id: string, cause: CodecError) {
    super(`${cause.code}: it cannot be read with the keys of the worker that received it`, {
      cause,
    });
    this.id = id;
  }
}

/** What is known of the waits, in plain. The names of messages come from what was asked. */
function decodeFlow(
  flow: Flow,
  { ref }: Ownership,
  { call, answer }: { call: FlowCall; answer: FlowAnswer },
): FlowAnswer {
  const reader = new FlowReader(flow, ref);
  if (answer.done === 'results') {
    return { ...answer, results: answer.results.map((one) => reader.result(one)) };
  }
  if (answer.done !== 'decide' || call.do !== 'decide') return answer;
  return {
    ...answer,
    waits: answer.waits.map((state, index) => reader.state(state, call.waits[index]!)),
  };
}

class FlowReader {
  readonly #flow: Flow;
  readonly #ref: JobRef;

  constructor(flow: Flow, ref: JobRef) {
    this.#flow = flow;
    this.#ref = ref;
  }

  state(state: WaitState, asked: WaitRequest): WaitState {
    return state.state === 'open' ? state : { ...state, value: this.#value(state.value, asked) };
  }

  #value(value: WaitValue, asked: WaitRequest): WaitValue {
    if (value.kind === 'children') {
      return { ...value, results: value.results.map((one) => this.result(one)) };
    }
    if (value.kind === 'message' && asked.kind === 'message') {
      const place = placeIn(this.#ref, `inbox:${asked.message}`);
      try {
        return { ...value, payload: this.#flow.codec.decodeJson(place, value.payload) };
      } catch (error) {
        throw error instanceof CodecError ? new UnreadableMessage(value.id, error) : error;
      }
    }
    if (value.kind !== 'first' || asked.kind !== 'first') return value;
    const which = this.#flow.names.plain(value.which);
    const member = asked.members.find(({ key }) => key === which);
    return member === undefined
      ? value
      : { ...value, which, value: this.#value(value.value, member.wait) };
  }

  result(child: ChildResult): ChildResult {
    const { key, id, result, error } = child;
    const { codec, names } = this.#flow;
    const ref = { tenant: this.#ref.tenant, id };
    return {
      ...child,
      key: names.plain(key),
      result: result === null ? null : codec.decodeJson(placeIn(ref, 'result'), result),
      error: error === null ? null : decodeError(codec, ref, error),
    };
  }
}
