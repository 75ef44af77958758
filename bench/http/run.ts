import { type FanOut, measureFanOut } from './fan-out.ts';
import { type GatewayRun, measureGateway } from './gateway.ts';
import { type Ground, openGround } from './ground.ts';
import type { HttpOptions } from './options.ts';
import { measureVerbs, type Way } from './verbs.ts';

/** What was measured; a part that was not asked for is empty. */
export interface HttpResults {
  readonly grounds: readonly Pick<Ground, 'name' | 'conditions'>[];
  readonly ways: readonly Way[];
  readonly fans: readonly FanOut[];
  readonly gateways: readonly GatewayRun[];
}

/** One part after the other; within a part the stores take turns. */
export async function runHttp(
  options: HttpOptions,
  say: (text: string) => void,
): Promise<HttpResults> {
  const grounds: Ground[] = [];
  try {
    for (const store of options.stores) grounds.push(await openGround(store));
    const has = (part: HttpOptions['parts'][number]): boolean => options.parts.includes(part);
    return {
      grounds,
      ways: has('verbs') ? await measureVerbs(grounds, options, say) : [],
      fans: has('streams') ? await measureFanOut(grounds, options, say) : [],
      gateways: has('gateway') ? await measureGateway(grounds, options, say) : [],
    };
  } finally {
    for (const ground of grounds) await ground.close();
  }
}
