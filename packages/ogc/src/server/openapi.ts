import { DRAFT_SCHEMAS, ref, SCHEMAS } from './openapi-schemas.ts';
import { API_PATH, OPENAPI_TYPE } from './landing.ts';
import { STATUSES } from '../model/status-info.ts';
import { PACKAGE_TYPE } from '../model/vocabulary.ts';

type Json = Readonly<Record<string, unknown>>;

const text = { type: 'string' };

function query(name: string, schema: Json, description: string): Json {
  return { name, in: 'query', required: false, description, schema };
}

function listQuery(name: string, items: Json, description: string): Json {
  const form = { style: 'form', explode: true };
  return { ...query(name, { type: 'array', items }, description), ...form };
}

function path(name: string): Json {
  return { name, in: 'path', required: true, schema: text };
}

const LIMIT = query('limit', { type: 'integer', minimum: 1, maximum: 10_000 }, 'Items a page.');
const FORM = query('f', { ...text, enum: ['json', 'html'] }, 'The form, whatever Accept says.');

const PREFER = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    '`respond-async`, `wait=<seconds>`, or both: the results if they come in time. In the 2.0 ' +
    'draft also `return=minimal` or `return=representation`.',
  schema: text,
};

const JOB_FILTERS = [
  listQuery('type', { ...text, enum: ['process'] }, 'Kinds of jobs.'),
  listQuery('processID', text, 'The processes that they execute.'),
  listQuery('status', { ...text, enum: [...STATUSES] }, 'Their status.'),
  query('datetime', text, 'When they were created: a time, or two with a slash between.'),
  query('minDuration', { type: 'number' }, 'Seconds that they lasted at least.'),
  query('maxDuration', { type: 'number' }, 'Seconds that they lasted at most.'),
  LIMIT,
];

function json(name: string, description: string): Json {
  return { description, content: { 'application/json': { schema: ref(name) } } };
}

function shown(name: string, description: string): Json {
  const content = { 'application/json': { schema: ref(name) }, 'text/html': { schema: text } };
  return { description, content };
}

const PROBLEM = json('exception', 'What was wrong, and what to do.');

interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly parameters?: readonly Json[];
  readonly body?: string;
  /** Of the body. */
  readonly mediaType?: string;
  readonly answers: Readonly<Record<string, Json>>;
}

function operation(wish: Operation): Json {
  const { id, summary, parameters = [], body, mediaType = 'application/json', answers } = wish;
  const content = { [mediaType]: { schema: ref(body ?? '') } };
  return {
    operationId: id,
    summary,
    parameters,
    ...(body === undefined ? {} : { requestBody: { required: true, content } }),
    responses: { ...answers, default: PROBLEM },
  };
}

const RESULTS = {
  description: 'The results: one value as it is, several as parts, or a document.',
  content: {
    'application/json': { schema: ref('results') },
    'multipart/related': { schema: { ...text, format: 'binary' } },
    'text/plain': { schema: text },
    '*/*': { schema: { ...text, format: 'binary' } },
  },
};

const BY_REFERENCE = { description: 'The results are where the `Link` headers lead.' };

const ACCEPTED = {
  ...json('statusInfo', 'The job, durable from now on.'),
  headers: { Location: { description: 'Where its status is.', schema: text } },
};

const PACKAGE = { body: 'ogcapppkg', mediaType: PACKAGE_TYPE } as const;

const DEPLOYED = {
  ...json('processSummary', 'The process, durable from now on.'),
  headers: { Location: { description: 'Where its description is.', schema: text } },
};

const REPLACED = { description: 'It is replaced: jobs that have begun continue unchanged.' };

const APP_PACKAGE = {
  description: 'The package, as it was sent.',
  content: { [PACKAGE_TYPE]: { schema: ref('ogcapppkg') } },
};

function reading(id: string, summary: string, schema: string): Json {
  return operation({ id, summary, parameters: [FORM], answers: { 200: shown(schema, summary) } });
}

const SOME_OUTPUTS = {
  ...query('outputs', { type: 'array', items: text }, 'Only these outputs; of the 2.0 draft.'),
  style: 'form',
  explode: false,
};
const PROCESS = path('processId');
const JOB = path('jobId');

const PATHS: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  '/': { get: reading('getLandingPage', 'Landing page', 'landingPage') },
  '/conformance': { get: reading('getConformance', 'Conformance classes', 'confClasses') },
  [API_PATH]: {
    get: operation({
      id: 'getApi',
      summary: 'This document',
      parameters: [FORM],
      answers: { 200: { description: 'OpenAPI 3.0.', content: { [OPENAPI_TYPE]: {} } } },
    }),
  },
  '/processes': {
    get: operation({
      id: 'getProcesses',
      summary: 'The processes',
      parameters: [LIMIT, query('offset', { type: 'integer' }, 'Processes to skip.'), FORM],
      answers: { 200: shown('processList', 'A page of processes.') },
    }),
    post: operation({
      id: 'deploy',
      summary: 'Deploy a process',
      ...PACKAGE,
      answers: { 201: DEPLOYED, 400: PROBLEM, 403: PROBLEM, 409: PROBLEM, 415: PROBLEM },
    }),
  },
  '/processes/{processId}': {
    get: operation({
      id: 'getProcessDescription',
      summary: 'Inputs and outputs of a process',
      parameters: [PROCESS, FORM],
      answers: { 200: shown('process', 'Its description.'), 404: PROBLEM },
    }),
    put: operation({
      id: 'replace',
      summary: 'Replace a process that was deployed',
      parameters: [PROCESS],
      ...PACKAGE,
      answers: { 204: REPLACED, 400: PROBLEM, 403: PROBLEM, 404: PROBLEM, 415: PROBLEM },
    }),
    delete: operation({
      id: 'undeploy',
      summary: 'Undeploy a process; its jobs continue',
      parameters: [PROCESS],
      answers: { 204: { description: 'It is gone.' }, 403: PROBLEM, 404: PROBLEM },
    }),
  },
  '/processes/{processId}/package': {
    get: operation({
      id: 'getPackage',
      summary: 'What deployed a process',
      parameters: [PROCESS],
      answers: { 200: APP_PACKAGE, 404: PROBLEM },
    }),
  },
  '/processes/{processId}/execution': {
    post: operation({
      id: 'execute',
      summary: 'Execute a process',
      parameters: [PROCESS, PREFER],
      body: 'execute',
      answers: { 200: RESULTS, 201: ACCEPTED, 204: BY_REFERENCE, 400: PROBLEM, 404: PROBLEM },
    }),
  },
  '/jobs': {
    get: operation({
      id: 'getJobs',
      summary: 'The jobs, newest first',
      parameters: [...JOB_FILTERS, FORM],
      answers: { 200: shown('jobList', 'A page of jobs.') },
    }),
  },
  '/jobs/{jobId}': {
    get: operation({
      id: 'getStatus',
      summary: 'Status of a job',
      parameters: [JOB, FORM],
      answers: { 200: shown('statusInfo', 'Its status.'), 404: PROBLEM },
    }),
    delete: operation({
      id: 'dismiss',
      summary: 'Dismiss a job, or remove one that has ended',
      parameters: [JOB],
      answers: {
        200: json('statusInfo', 'Its status.'),
        403: PROBLEM,
        404: PROBLEM,
        409: PROBLEM,
      },
    }),
  },
  '/jobs/{jobId}/results': {
    get: operation({
      id: 'getResult',
      summary: 'Results of a job',
      parameters: [JOB, SOME_OUTPUTS, PREFER, FORM],
      answers: { 200: RESULTS, 204: BY_REFERENCE, 400: PROBLEM, 404: PROBLEM },
    }),
  },
  '/jobs/{jobId}/results/{outputId}': {
    get: operation({
      id: 'getOutput',
      summary: 'One output of a job',
      parameters: [JOB, path('outputId')],
      answers: { 200: RESULTS, 404: PROBLEM, 502: PROBLEM },
    }),
  },
};

/** The OpenAPI 3.0 document that the standard asks for; the native API has one of its own. */
export function ogcOpenApi(base: string, { isDraft2 }: { isDraft2: boolean }): object {
  const what = 'Processes that are executed as durable jobs';
  const standard = `Part 1 of the standard, ${isDraft2 ? 'the 2.0 draft' : '1.0'}, and Part 2`;
  return {
    openapi: '3.0.3',
    info: {
      title: 'Pawl: OGC API – Processes',
      version: isDraft2 ? '2.0.0-draft' : '1.0.0',
      description: `${what}, by ${standard}.`,
    },
    servers: [{ url: base }],
    security: [{ bearer: [] }],
    paths: PATHS,
    components: {
      schemas: isDraft2 ? { ...SCHEMAS, ...DRAFT_SCHEMAS } : SCHEMAS,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}
