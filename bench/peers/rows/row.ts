import type { Contender } from '../contenders.ts';
import type { Readings, Scene } from '../scene.ts';
import { playCeiling } from './ceiling.ts';
import { playDrain, playDrainOfTwo } from './drain.ts';
import { playEnqueue } from './enqueue.ts';
import { playFlow } from './flow.ts';
import { playLatency, playLoad } from './latency.ts';
import { playKeys, playRetries } from './mixes.ts';

/** One kind of measurement, and who takes part in it. */
export interface Row {
  readonly name: string;
  play(scene: Scene): Promise<Readings>;
  /** Whether it is asked of a contender at all. */
  isAsked(contender: Contender): boolean;
  /** Why a contender that is asked has no such thing; null where it has. */
  absence(contender: Contender): string | null;
}

const ofAll = (): boolean => true;
const ofTheBest = ({ isPlain }: Contender): boolean => !isPlain;
const forNone = (): null => null;

const NO_RETRIES: Readonly<Record<string, string>> = {
  plainjob: 'it has no retries: a job that fails has failed',
};

const NO_KEYS: Readonly<Record<string, string>> = {
  plainjob: 'it has no limits by key',
  bullmq: 'limits by key (groups) belong to its paid edition',
  'bullmq-pg': 'limits by key (groups) belong to its paid edition',
};

export const ROWS: readonly Row[] = [
  { name: 'enqueue', play: playEnqueue, isAsked: ofAll, absence: forNone },
  { name: 'drain', play: playDrain, isAsked: ofAll, absence: forNone },
  {
    name: 'drain2',
    play: playDrainOfTwo,
    isAsked: ({ ground }) => ground !== 'sqlite',
    absence: forNone,
  },
  { name: 'flow', play: playFlow, isAsked: ofTheBest, absence: forNone },
  { name: 'latency', play: playLatency, isAsked: ofAll, absence: forNone },
  { name: 'load', play: playLoad, isAsked: ofTheBest, absence: forNone },
  {
    name: 'retries',
    play: playRetries,
    isAsked: ofTheBest,
    absence: ({ product }) => NO_RETRIES[product] ?? null,
  },
  {
    name: 'keys',
    play: playKeys,
    isAsked: ofTheBest,
    absence: ({ product }) => NO_KEYS[product] ?? null,
  },
  {
    name: 'ceiling',
    play: playCeiling,
    isAsked: ({ product, isPlain }) => product === 'pawl' && !isPlain,
    absence: forNone,
  },
];
