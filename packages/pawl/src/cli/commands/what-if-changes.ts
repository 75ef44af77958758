import type { WhatIfAsked } from '../../contract/what-if.ts';
import { parseDuration } from '../../core/duration.ts';
import { LIMIT_KEYS, type LimitKey } from '../../core/limits.ts';
import { PRIORITY_HIGH, PRIORITY_NORMAL } from '../../core/rank.ts';
import { UsageError } from '../exit-code.ts';
import { instantIn } from './moment.ts';

export interface WhatIfOptions {
  readonly from?: string;
  readonly to?: string;
  readonly last: string;
  readonly workers?: string;
  readonly slots?: string;
  readonly load?: string;
  readonly concurrency?: readonly string[];
  readonly typeConcurrency?: readonly string[];
  readonly limit?: readonly string[];
  readonly rate?: readonly string[];
  readonly priority?: readonly string[];
}

/** Options as the API takes them. */
export function askedBy(options: WhatIfOptions): WhatIfAsked {
  const { from, to, last, workers, slots, load } = options;
  const lastMs = parseDuration(last);
  if (lastMs === null) throw new UsageError('--last takes a time such as 1h');
  return {
    ...(from === undefined ? { lastMs } : { from: instantIn('--from', from) }),
    ...(to === undefined ? {} : { to: instantIn('--to', to) }),
    ...(workers === undefined ? {} : { workers }),
    ...(slots === undefined ? {} : { slots }),
    ...(load === undefined ? {} : { load: factorIn(load) }),
    ...named('queueConcurrency', options.concurrency, (text) => boundIn('--concurrency', text)),
    ...named('typeConcurrency', options.typeConcurrency, (text) =>
      boundIn('--type-concurrency', text),
    ),
    ...named('runningPerKey', options.limit, limitIn),
    ...named('rates', options.rate, rateIn),
    ...named('priorities', options.priority, priorityIn),
  };
}

function named<Member extends string, Value>(
  member: Member,
  given: readonly string[] | undefined,
  valueIn: (text: string) => Value,
): { readonly [Name in Member]?: Record<string, Value> } {
  if (given === undefined) return {};
  const values = given.map((text): [string, Value] => {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageError(`"${text}" names nothing: write it as name=value`);
    return [text.slice(0, at), valueIn(text.slice(at + 1))];
  });
  return { [member]: Object.fromEntries(values) } as { [Name in Member]: Record<string, Value> };
}

function factorIn(text: string): number {
  const factor = Number(/^(\d+(?:\.\d+)?)x?$/.exec(text)?.[1]);
  if (factor > 0) return factor;
  throw new UsageError('--load takes a factor such as 1.5x');
}

function boundIn(flag: string, text: string): number | null {
  if (text === 'none') return null;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new UsageError(`${flag} takes name=8, or name=none for no bound`);
}

function limitIn(text: string): { max: number; key?: LimitKey } {
  const [, max, key] = /^(?:runningPerKey:)?([1-9]\d*)(?:\/(\w+))?$/.exec(text) ?? [];
  const isKey = key === undefined || (LIMIT_KEYS as readonly string[]).includes(key);
  if (max === undefined || !isKey) {
    const keys = LIMIT_KEYS.join(', ');
    throw new UsageError(`--limit takes type=runningPerKey:2 or …:2/<key>, of the keys ${keys}`);
  }
  return { max: Number(max), ...(key === undefined ? {} : { key: key as LimitKey }) };
}

const RATE = /^(perUser|perOrganisation):(?:(none)|([1-9]\d*)\/(\w+))$/;

function rateIn(text: string): Record<string, { max: number; perMs: number } | null> {
  const [, scope, none, max, per] = RATE.exec(text) ?? [];
  if (scope !== undefined && none !== undefined) return { [scope]: null };
  const perMs = parseDuration(per);
  if (scope === undefined || perMs === null || perMs < 1) {
    throw new UsageError('--rate takes type=perUser:10/1m or type=perOrganisation:10/1m');
  }
  return { [scope]: { max: Number(max), perMs } };
}

function priorityIn(text: string): number {
  if (text === 'high') return PRIORITY_HIGH;
  if (text === 'normal') return PRIORITY_NORMAL;
  if (/^-?\d{1,5}$/.test(text)) return Number(text);
  throw new UsageError('--priority takes type=high, type=normal or type=<number>');
}
