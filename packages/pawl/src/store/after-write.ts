import { StoreError } from './store-error.ts';

/**
 * A store's `unchanged` speaks of one verb. Once an earlier verb of the same call has written
 * something, a later failure must not tell the caller that nothing was changed.
 */
export async function afterWrite<Answer>(
  hasWritten: boolean,
  rest: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await rest();
  } catch (error) {
    if (!hasWritten || !(error instanceof StoreError) || error.outcome !== 'unchanged') throw error;
    throw new StoreError('unknown', `after a part was written: ${error.message}`, error);
  }
}
