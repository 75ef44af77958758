import type { DlqReason } from '../core/error-class.ts';
import { isPawlError, PawlError } from '../core/errors.ts';
import type { DeadLetterFilter, DeadLetters, ManyResult } from '../handle/failures.ts';
import { Handle } from '../handle/job-handle.ts';
import type { JobType } from '../handler/job-type.ts';
import type { DeadLetter, DeadLetterFilter as LetterQuery } from '../records/dead-letters.ts';
import type { EnginePort } from './engine-port.ts';
import { madeOf } from './made-job.ts';
import { letterSnapshotOf } from './snapshot.ts';

const LIMIT = 50;
/** What one call replays. */
const REPLAYS_MAX = 1_000;

export function deadLettersOn(port: EnginePort): DeadLetters {
  const { engine, caller } = port;
  const { tenant } = caller;
  const find = (query: Omit<LetterQuery, 'tenant'>): Promise<DeadLetter[]> =>
    engine.deadLetters({ ...query, tenant });
  const replay = async (id: string, runAt?: number): Promise<ManyResult> => {
    try {
      const at = runAt === undefined ? {} : { runAt };
      const made = await engine.replay({ deadLetterId: id, caller, ...at });
      return { id, ok: true, job: new Handle(port, madeOf(made)) };
    } catch (error) {
      if (isPawlError(error)) return { id, ok: false, error };
      throw error;
    }
  };
  return {
    list: async ({ limit = LIMIT, cursor, ...filter } = {}) => {
      const before = cursor === undefined ? {} : { before: cursor };
      const found = await find({ ...queryOf(filter), limit: limit + 1, ...before });
      const page = found.slice(0, limit);
      const letters = await Promise.all(page.map((one) => port.payloads.letter(one)));
      const nextCursor = found.length > limit ? page.at(-1)!.id : null;
      return { items: letters.map(letterSnapshotOf), nextCursor };
    },
    get: async (id) => {
      const [letter] = await find({ id, limit: 1 });
      if (letter === undefined) throw new PawlError('NOT_FOUND', `there is no dead letter ${id}`);
      return letterSnapshotOf(await port.payloads.letter(letter));
    },
    replay: async (id, { input } = {}) => {
      const given = input === undefined ? {} : { input };
      const made = await engine.replay({ deadLetterId: id, caller, ...given });
      return new Handle(port, madeOf(made));
    },
    replayMany: async (asked) => {
      const limit = REPLAYS_MAX + 1;
      const found =
        'ids' in asked
          ? [...new Set(asked.ids)]
          : (await find({ ...queryOf(asked.filter), isReplayed: false, limit })).map(
              ({ id }) => id,
            );
      const { perSecond } = asked;
      const now = perSecond === undefined ? 0 : await engine.now();
      const results: ManyResult[] = [];
      for (const [index, id] of found.slice(0, REPLAYS_MAX).entries()) {
        const runAt = Math.round(now + (index * 1_000) / (perSecond ?? 1));
        results.push(await replay(id, perSecond === undefined ? undefined : runAt));
      }
      return { results, hasMore: found.length > REPLAYS_MAX, nextCursor: null };
    },
  };
}

function queryOf(
  filter: Omit<DeadLetterFilter, 'limit' | 'cursor'>,
): Omit<LetterQuery, 'tenant' | 'limit'> {
  const { type, reasonCode, ...rest } = filter;
  return {
    ...rest,
    ...(type === undefined ? {} : { type: nameOf(type) }),
    ...(reasonCode === undefined ? {} : { reasonCode: reasonCode as DlqReason }),
  };
}

export function nameOf(type: JobType | string): string {
  return typeof type === 'string' ? type : type.type;
}
