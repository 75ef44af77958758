import { errorCodeOf, type Job, type JobError, PawlError } from 'pawl/define';
import { type EngineLog, isPawlError, type PluginRoute } from 'pawl/plugin';
import { EXCEPTION } from '../model/vocabulary.ts';
import { jsonAnswer } from './negotiate.ts';

/** What the body of an error says; members that are not known are left out, never null. */
export interface ExceptionBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly [member: string]: unknown;
}

/** An error in the standard's words, with headers of its own where it has any. */
export class OgcException extends Error {
  readonly body: ExceptionBody;
  readonly headers: Readonly<Record<string, string>>;

  constructor(body: ExceptionBody, headers: Readonly<Record<string, string>> = {}) {
    super(body.detail);
    this.name = 'OgcException';
    this.body = body;
    this.headers = headers;
  }
}

export function noSuchProcess(id: string): OgcException {
  return new OgcException({
    type: EXCEPTION.noSuchProcess,
    title: 'no such process',
    status: 404,
    detail: `there is no process "${id}": GET /processes lists all of them`,
  });
}

export function noSuchJob(id: string): OgcException {
  return new OgcException({
    type: EXCEPTION.noSuchJob,
    title: 'no such job',
    status: 404,
    detail: `there is no job "${id}": check the id; it may have been removed by retention`,
  });
}

export function resultNotReady(job: Job): OgcException {
  return new OgcException({
    type: EXCEPTION.resultNotReady,
    title: 'result not ready',
    status: 404,
    detail: `job ${job.id} has not ended yet: ask again when its status is successful`,
  });
}

export function resultNotAvailable(jobId: string): OgcException {
  return new OgcException({
    type: EXCEPTION.resultNotAvailable,
    title: 'result not available',
    status: 404,
    detail: `job ${jobId} was not asked for this output: ask for it when the process is executed`,
  });
}

export function noSuchOutput(jobId: string, id: string): OgcException {
  return new OgcException({
    type: EXCEPTION.noSuchOutput,
    title: 'no such output',
    status: 400,
    detail: `job ${jobId} has no output "${id}": see its results`,
  });
}

export function invalidQueryParameter(name: string, value: string): OgcException {
  return new OgcException({
    type: EXCEPTION.invalidQueryParameter,
    title: 'invalid query parameter value',
    status: 400,
    detail: `"${value}" cannot be a value of the parameter ${name} here`,
  });
}

export function notAcceptable(mediaType: string): OgcException {
  return new OgcException({
    type: 'urn:pawl:error:NOT_ACCEPTABLE',
    title: 'not acceptable',
    status: 406,
    detail: `the answer is ${mediaType}, which the Accept header leaves out: add it`,
  });
}

/** The HTTP status that says best why a job failed, by the class of its error. */
const STATUS_OF_CLASS: Readonly<Record<string, number>> = {
  validation_error: 400,
  job_validation: 400,
  ValidationError: 400,
  invalid_document: 400,
  unsupported_format: 400,
  quota_exceeded: 403,
  network_timeout: 504,
  timeout: 504,
  permanent_timeout: 504,
  deadline_exceeded: 504,
  dependency_unavailable: 502,
  TransientError: 502,
};

/**
 * Why there are no results of a job that has ended otherwise. What a provider refused is kept as it
 * is; what else went wrong with a provider is nothing that the caller can mend.
 */
export function failureOf(
  job: Job,
  { isRemote, headers = {} }: { isRemote: boolean; headers?: Readonly<Record<string, string>> },
): OgcException {
  const { error } = job;
  if (job.phase === 'cancelled' || error === null) {
    const detail = `job ${job.id} was dismissed, so it has no results: execute the process again`;
    const body = { type: 'urn:pawl:job:dismissed', title: 'job dismissed', status: 410, detail };
    return new OgcException(body, headers);
  }
  const code = errorCodeOf(job.type, error);
  const body = {
    type: `urn:pawl:job-error:${code}`,
    title: 'job failed',
    status: isRemote ? upstreamStatus(error) : (STATUS_OF_CLASS[error.class] ?? 500),
    detail: error.message,
    jobID: job.id,
  };
  return new OgcException(body, headers);
}

const OF_GATEWAY: ReadonlySet<number> = new Set([401, 403, 407]);

/** What a provider asked for when it refused an execution is passed on with the refusal. */
export function retryAfterOf({ error }: Job): Record<string, string> {
  const { retryAfterMs } = (error?.details ?? {}) as { retryAfterMs?: unknown };
  if (typeof retryAfterMs !== 'number') return {};
  return { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
}

function upstreamStatus({ class: name, details }: JobError): number {
  const { upstreamStatus: status } = (details ?? {}) as { upstreamStatus?: unknown };
  const isKept = typeof status === 'number' && status >= 400 && status < 500;
  // Credentials of the gateway are nothing that its caller has.
  if (isKept && !OF_GATEWAY.has(status)) return status;
  return STATUS_OF_CLASS[name] === 504 ? 504 : 502;
}

function exceptionOf(error: unknown): OgcException {
  if (error instanceof OgcException) return error;
  const { code, status, message, hint, details, faults } = pawlErrorOf(error);
  const { retryAfterMs } = details;
  const hasTime = typeof retryAfterMs === 'number';
  const seconds = hasTime ? Math.ceil(retryAfterMs / 1_000) : 1;
  const body = {
    type: `urn:pawl:error:${code}`,
    title: code.toLowerCase().replaceAll('_', ' '),
    status,
    detail: message,
    code,
    hint,
    ...(faults.length > 0 ? { errors: faults } : {}),
  };
  return new OgcException(body, {
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="pawl"' } : {}),
    ...(hasTime || status === 503 || status === 429
      ? { 'retry-after': String(Math.max(1, seconds)) }
      : {}),
  });
}

function pawlErrorOf(error: unknown): PawlError {
  if (isPawlError(error)) return error;
  const detail = 'internal error; the log of the server has the details';
  return new PawlError('INTERNAL_ERROR', detail, { cause: error });
}

/** Answers errors as plain JSON: clients of the standard do not take `problem+json` for it. */
export function exceptionAnswer(log: EngineLog): NonNullable<PluginRoute['onError']> {
  return (error, request, { requestId }) => {
    const { body, headers } = exceptionOf(error);
    const { status } = body;
    if (status >= 500 && !(error instanceof OgcException)) {
      const stack = error instanceof Error ? error.stack : String(error);
      log.warn('a request failed', { requestId, error: stack });
    }
    const instance = new URL(request.url).pathname;
    return jsonAnswer({ ...body, instance, requestId }, { status, headers });
  };
}
