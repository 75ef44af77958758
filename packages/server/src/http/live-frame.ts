import type { JobEvent } from 'pawl/internal/core/event';
import type { LiveTexts } from 'pawl/internal/engine/live-texts';
import type { JobEventJson } from 'pawl/internal/contract/job';
import { frameOf } from './sse-frame.ts';
import type { SseStream } from './sse.ts';

/** An event as it is sent to streams, made once for all of them. */
export interface EventFrame {
  readonly text: string;
  /** Where text is missing that is kept nowhere: what a stream is sent that has heard it. */
  readonly gap: {
    readonly event: JobEvent;
    readonly frameWith: (text: string) => string;
  } | null;
}

export function eventFrame(id: string, event: JobEvent, json: JobEventJson): EventFrame {
  const message = { id, event: event.type, data: json };
  const text = frameOf(message);
  if (event.payload?.['gap'] !== true) return { text, gap: null };
  const frameWith = (told: string): string =>
    frameOf({ ...message, data: { ...json, metadata: { text: told, persisted: false } } });
  return { text, gap: { event, frameWith } };
}

/** The same for one stream: with the text that is kept nowhere, if it was open when that came. */
export function frameFor(stream: SseStream, texts: LiveTexts, { text, gap }: EventFrame): string {
  const told = gap === null ? null : texts.textIn(gap.event, stream.since);
  return told === null ? text : gap!.frameWith(told);
}
