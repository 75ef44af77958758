import {
  defineJob,
  type Job,
  type JobDefinition,
  OutgoingError,
  PermanentError,
  type RunContext,
  TransientError,
  typed,
} from 'pawl/define';
import { begin } from '../model/body-bytes.ts';
import { type CallbackInput, CALLBACK_TYPE } from './callbacks.ts';
import { failureOf } from './exception.ts';
import { recordIn } from './execution-record.ts';
import { documentIn } from './results.ts';
import { toldStatus } from './told-status.ts';
import { isRemote, type OgcDependencies, sourceOf } from './dependencies.ts';

const TIMEOUT_MS = 20_000;
const RESPONSE_BYTES_MAX = 65_536;
const GONE = 410;
/** What is longer is fetched by whoever wants it. */
const RESULTS_BYTES_MAX = 8 * 1024 * 1024;

/** Ten attempts over about a day: seconds at first, hours at last. */
const RETRY = {
  maxAttempts: 10,
  backoff: { base: '5s', factor: 4, max: '8h', jitter: 'equal' },
} as const;

/** What callbacks are made with. */
export type CallbackDependencies = Pick<
  OgcDependencies,
  'engine' | 'sources' | 'outgoing' | 'settings'
>;

/** The job that calls a subscriber back. */
export function callbackJob(deps: CallbackDependencies): JobDefinition {
  return defineJob(CALLBACK_TYPE, {
    input: typed<CallbackInput>(),
    ...RETRY,
    timeout: 2 * TIMEOUT_MS,
    dlq: 'never',
    run: (context) => callBack(deps, context),
  });
}

async function callBack(
  deps: CallbackDependencies,
  run: RunContext<CallbackInput>,
): Promise<unknown> {
  const { jobId, news, url } = run.input;
  const [job] = await deps.engine.find([{ tenant: run.job.tenant, id: jobId }]);
  if (!job) throw new PermanentError('the job is no longer kept', { code: 'JOB_GONE' });
  const { contentType, body } = await contentOf(deps, job, news);
  try {
    const response = await deps.outgoing.fetch(url, {
      method: 'POST',
      headers: { 'content-type': contentType, 'user-agent': 'pawl-callbacks' },
      body,
      timeoutMs: TIMEOUT_MS,
      responseBytesMax: RESPONSE_BYTES_MAX,
      signal: run.signal,
    });
    response.discard();
    const { status } = response;
    if (response.ok) return { status };
    const why = `the subscriber answered ${status}`;
    const details = { code: `HTTP_${status}`, details: { status } };
    throw status === GONE ? new PermanentError(why, details) : new TransientError(why, details);
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    const details = { code: 'UNREACHABLE' };
    if (error.code === 'refused') throw new PermanentError(error.message, details);
    throw new TransientError(error.message, details);
  }
}

interface Content {
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

function jsonOf(value: unknown): Content {
  return { contentType: 'application/json', body: JSON.stringify(value) };
}

/** Read anew each time: results, unless they are long, what went wrong, or the status. */
async function contentOf(
  deps: CallbackDependencies,
  job: Job,
  news: CallbackInput['news'],
): Promise<Content> {
  const source = await sourceOf(deps, job);
  const record = recordIn(job);
  if (source === null || record === null) {
    throw new PermanentError('the job was erased: it is no longer an execution', {
      code: 'JOB_ERASED',
    });
  }
  if (news === 'failedUri') {
    return jsonOf(failureOf(job, { isRemote: isRemote(source, job) }).body);
  }
  if (news === 'inProgressUri') return jsonOf(toldStatus(deps, { job, source }, record.base));
  const { tenant, requestedBy: principal } = job;
  const caller = { tenant, principal, groups: [], reach: 'tenant' as const };
  const results = await source.results(caller, job, record.base);
  if (results.kind === 'answer') {
    const { start, rest } = await begin(results.body, RESULTS_BYTES_MAX);
    if (rest === null) return { contentType: results.contentType, body: start };
    await rest.return!();
    return jsonOf(source.status(job, record.base));
  }
  return jsonOf(documentIn(results, job, record.base) ?? source.status(job, record.base));
}
