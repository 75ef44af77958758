import { fail, isJobFailure, type RunContext } from 'pawl/define';
import { checkDeck } from '../deck/check-deck.ts';
import type { Deck } from '../deck/deck.ts';
import { readWhole } from '../work/bytes.ts';

type Context = Pick<RunContext<unknown>, 'openArtifact'>;

const DECK_BYTES_MAX = 64 * 1024 ** 2;

/** What an artifact holds, whole; a failure that says what to do where it cannot be had. */
export async function readArtifact(
  { openArtifact }: Context,
  id: string,
  bytesMax: number,
): Promise<{ bytes: Uint8Array; name: string; contentType: string }> {
  try {
    const opened = await openArtifact(id);
    const bytes = await readWhole(opened, bytesMax);
    if (bytes !== null) return { bytes, name: opened.name, contentType: opened.contentType };
  } catch (error) {
    if (!isJobFailure(error) || error.code !== 'NOT_FOUND') throw error;
    const message = `there is no artifact ${id}: upload it first and pass the id of the answer`;
    throw fail('validation_error', message, { code: 'SOURCE_NOT_FOUND', cause: error });
  }
  const message = `the artifact ${id} has more than ${bytesMax} bytes: give a smaller part of it`;
  throw fail('quota_exceeded', message, { code: 'SOURCE_TOO_LARGE' });
}

/** The deck of a convert job, checked. */
export async function readDeck(context: Context, deckRef: string): Promise<Deck> {
  const { bytes } = await readArtifact(context, deckRef, DECK_BYTES_MAX);
  const checked = checkDeck(parsed(bytes));
  if ('deck' in checked) return checked.deck;
  const first = checked.faults[0];
  const what = first === undefined ? '' : ` (${first.pointer || '/'} ${first.message})`;
  const message = `the artifact ${deckRef} is not a deck${what}: pass the deckRef of a convert job`;
  throw fail('validation_error', message, { code: 'SOURCE_NO_DECK' });
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return null;
  }
}
