import type { ChildResult, FlowAnswer, FlowCall, WaitState, WaitValue } from '../../core/flow.ts';
import { childIdOf } from '../../core/ids.ts';
import type { JobRef } from '../../core/job.ts';
import type { Ownership } from '../../engine/owner.ts';
import { CodecError, type PayloadCodec } from '../payload-codec.ts';
import { decodeError, placeIn } from './read.ts';

type Ask = (held: Ownership, call: FlowCall) => Promise<FlowAnswer>;

/** Asks in ciphertext and answers in plain; a message that cannot be read is set aside. */
export async function askEncoded(
  codec: PayloadCodec,
  ask: Ask,
  { held, call }: { held: Ownership; call: FlowCall },
): Promise<FlowAnswer> {
  for (;;) {
    const answer = await ask(held, encodeFlow(codec, held, call));
    try {
      return decodeFlow(codec, held, { call, answer });
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error;
      await ask(held, { do: 'setAside', id: error.id, fault: error.message });
    }
  }
}

/** What a handler asks of its waits, with the inputs of children sealed for them. */
function encodeFlow(codec: PayloadCodec, held: Ownership, call: FlowCall): FlowCall {
  if (call.do !== 'spawn') return call;
  const { tenant, id } = held.ref;
  const { createdAt } = held.known!;
  return {
    ...call,
    items: call.items.map((item) => {
      const child = { tenant, id: childIdOf({ tenant, id, createdAt }, call.wait, item.key) };
      return {
        ...item,
        input: codec.encodeJson(placeIn(child, 'input'), item.input),
        // Encrypted anew it is another text: the plain one is what is compared.
        inputHash: codec.hash(tenant, item.input),
      };
    }),
  };
}

/** A message that was not sealed for its job: nobody who has the key has sent it. */
class UnreadableMessage extends Error {
  readonly id: string;

  constructor(id: string, cause: CodecError) {
    super(cause.message, { cause });
    this.id = id;
  }
}

/** What is known of the waits, in plain. The names of messages come from what was asked. */
function decodeFlow(
  codec: PayloadCodec,
  { ref }: Ownership,
  { call, answer }: { call: FlowCall; answer: FlowAnswer },
): FlowAnswer {
  const reader = new FlowReader(codec, ref);
  if (answer.done === 'results') {
    return { ...answer, results: answer.results.map((one) => reader.result(one)) };
  }
  if (answer.done !== 'decide' || call.do !== 'decide') return answer;
  return {
    ...answer,
    waits: answer.waits.map((state, index) => reader.state(state, call.waits[index]!)),
  };
}

type Asked = Extract<FlowCall, { do: 'decide' }>['waits'][number];

class FlowReader {
  readonly #codec: PayloadCodec;
  readonly #ref: JobRef;

  constructor(codec: PayloadCodec, ref: JobRef) {
    this.#codec = codec;
    this.#ref = ref;
  }

  state(state: WaitState, asked: Asked): WaitState {
    return state.state === 'open' ? state : { ...state, value: this.#value(state.value, asked) };
  }

  #value(value: WaitValue, asked: Asked): WaitValue {
    if (value.kind === 'children') {
      return { ...value, results: value.results.map((one) => this.result(one)) };
    }
    if (value.kind === 'message' && asked.kind === 'message') {
      const place = placeIn(this.#ref, `inbox:${asked.message}`);
      try {
        return { ...value, payload: this.#codec.decodeJson(place, value.payload) };
      } catch (error) {
        throw error instanceof CodecError ? new UnreadableMessage(value.id, error) : error;
      }
    }
    if (value.kind !== 'first' || asked.kind !== 'first') return value;
    const member = asked.members.find(({ key }) => key === value.which);
    return member === undefined
      ? value
      : { ...value, value: this.#value(value.value, member.wait) };
  }

  result(child: ChildResult): ChildResult {
    const { id, result, error } = child;
    const ref = { tenant: this.#ref.tenant, id };
    return {
      ...child,
      result: result === null ? null : this.#codec.decodeJson(placeIn(ref, 'result'), result),
      error: error === null ? null : decodeError(this.#codec, ref, error),
    };
  }
}
