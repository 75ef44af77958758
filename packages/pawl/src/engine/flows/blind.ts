import { referenceOf } from '../../artifact/reference.ts';
import { isSealed } from '../../codec/sealed.ts';
import { invalid } from '../../core/errors.ts';
import type { Job, JsonText } from '../../core/job.ts';
import type { EngineContext } from '../context.ts';

/** Whether a job's payloads are encrypted, so that nobody here can read or write them. */
export async function isBlind(
  { largeInputs }: EngineContext,
  job: Pick<Job, 'tenant' | 'id' | 'input'>,
): Promise<boolean> {
  if (referenceOf(job.input) === null) return isSealed(job.input);
  // One that is gone tells nothing: who receives a message looks at it again.
  const input = await largeInputs.whole(job).catch(() => job.input);
  return isSealed(input);
}

/** Who has no key has no message for such a job: not by a form, a request, or a link. */
export async function refusePlainMessage(
  context: EngineContext,
  job: Job,
  payload: JsonText,
): Promise<void> {
  if (isSealed(payload) || !(await isBlind(context, job))) return;
  const message =
    `must be encrypted: the payloads of job ${job.id} are, and its messages too; ` +
    'send it from a program that has the key (a codec)';
  throw invalid([{ pointer: '/payload', message }]);
}
