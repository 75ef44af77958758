import type { FlowAnswer, FlowCall } from '../../core/flow.ts';
import type { Ownership } from '../owner.ts';
import type { Flows } from './flows.ts';

/** What a handler asks of its waits, answered by the verbs for them. */
export async function answerFlow(
  flows: Flows,
  held: Ownership,
  call: FlowCall,
): Promise<FlowAnswer> {
  switch (call.do) {
    case 'spawn': {
      const { do: done, ...request } = call;
      return { done, ...(await flows.spawn(held, request)) };
    }
    case 'decide':
      return { done: 'decide', waits: await flows.decide(held, call.waits) };
    case 'results': {
      const { wait, after, limit } = call;
      return { done: 'results', ...(await flows.results(held.ref, wait, { after, limit })) };
    }
    case 'setAside':
      await flows.setAside(held, { id: call.id, fault: call.fault });
      return { done: 'setAside' };
    case 'link': {
      const { do: done, ...request } = call;
      const { url } = await flows.messageLink({ ref: held.ref, ...request }, held);
      return { done, url };
    }
  }
}
