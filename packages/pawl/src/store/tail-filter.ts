import { EVENT_TYPES, type EventType } from '../core/event.ts';
import { isFlowId, isGatedId } from '../core/ids.ts';
import { rankOf } from '../core/phase.ts';
import type { TailFilter, TailItem, TailQuery } from './query.ts';

/** A filter as stores compare it: a bit for each code of an event, and for each phase's rank. */
export interface FilterBits {
  readonly events: number;
  readonly phases: number;
  readonly gatedEvents: number;
  readonly gatedPhases: number;
}

export function bitsOf({ events, phases, gated }: TailFilter): FilterBits {
  return {
    events: bits((events ?? []).map(codeOf)),
    phases: bits((phases ?? []).map(rankOf)),
    gatedEvents: bits((gated?.events ?? []).map(codeOf)),
    gatedPhases: bits((gated?.phases ?? []).map(rankOf)),
  };
}

/** An event's code is its place in the list, from 1. */
export function codeOf(type: EventType): number {
  return EVENT_TYPES.indexOf(type) + 1;
}

function bits(places: readonly number[]): number {
  return places.reduce((sum, place) => sum | (1 << place), 0);
}

/** Whether an event of this code, that led into the phase of this rank, is wanted. */
export function passes(wanted: FilterBits, code: number, rank: number, jobId: string): boolean {
  const event = 1 << code;
  const phase = 1 << rank;
  if ((event & wanted.events) !== 0 || (phase & wanted.phases) !== 0) return true;
  const isCandidate = (event & wanted.gatedEvents) !== 0 || (phase & wanted.gatedPhases) !== 0;
  return isCandidate && isGatedId(jobId);
}

type Labels = Pick<TailItem, 'correlationId' | 'traceId' | 'awaitedBy'>;

export const NO_LABELS: Labels = { correlationId: null, traceId: null, awaitedBy: null };

/** Whether a reader wants the labels of a job. */
export function hasLabels({ labels = true }: TailQuery, jobId: string): boolean {
  return labels === 'flows' ? isFlowId(jobId) : labels;
}
