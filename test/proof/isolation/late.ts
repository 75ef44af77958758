// A caller that enqueues in a transaction of its own.
import type { NewJob } from '../../../src/store/insert.ts';
import type { Act } from './session.ts';

/** On the session's one connection, whose transaction is the caller's. */
export function insertWithin(job: NewJob): Act {
  return async ({ store, client }) => {
    const held = await client.connect();
    try {
      return await store.within(held)([job]);
    } finally {
      held.release();
    }
  };
}
