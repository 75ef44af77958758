// The bodies of the standard as OpenAPI 3.0 schemas, for the document that describes this API.
import { STATUSES } from '../model/status-info.ts';

type Json = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };

export function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function listOf(items: Json): Json {
  return { type: 'array', items };
}

function object(properties: Json, required: readonly string[] = []): Json {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

const link = object({ href: text, rel: text, type: text, hreflang: text, title: text }, ['href']);

const summary = {
  id: text,
  title: text,
  description: text,
  version: text,
  keywords: listOf(text),
  jobControlOptions: listOf({ ...text, enum: ['sync-execute', 'async-execute', 'dismiss'] }),
  outputTransmission: listOf({ ...text, enum: ['value', 'reference'] }),
  mutable: { type: 'boolean', default: true },
  links: listOf(ref('link')),
};

const member = object({ title: text, description: text, schema: { type: 'object' } }, ['schema']);
const members = { type: 'object', additionalProperties: member };

const statusMembers = {
  jobID: text,
  processID: text,
  type: { ...text, enum: ['process'] },
  status: { ...text, enum: [...STATUSES] },
  message: text,
  created: time,
  started: time,
  finished: time,
  updated: time,
  progress: { type: 'integer', minimum: 0, maximum: 100 },
  links: listOf(ref('link')),
};
const REQUIRED = ['jobID', 'processID', 'type', 'status'];
const statusInfo = object(statusMembers, REQUIRED);

const output = object({
  transmissionMode: { ...text, enum: ['value', 'reference'] },
  format: object({ mediaType: text, table: text }),
});

const execute = object({
  inputs: { type: 'object', additionalProperties: true },
  outputs: { type: 'object', additionalProperties: output },
  response: { ...text, enum: ['raw', 'document'], default: 'raw' },
  subscriber: ref('subscriber'),
});

const address = { ...text, format: 'uri' };

/** An OGC Application Package, with the units that can be executed here. */
const ogcapppkg = object(
  {
    processDescription: object({ process: ref('process') }, ['process']),
    executionUnit: {
      oneOf: [
        object({ type: { ...text, enum: ['pawl'] }, job: text, groups: listOf(text) }, [
          'type',
          'job',
        ]),
        object({ href: address, groups: listOf(text) }, ['href']),
      ],
    },
  },
  ['executionUnit'],
);

export const SCHEMAS: Readonly<Record<string, Json>> = {
  link,
  landingPage: object({ title: text, description: text, links: listOf(ref('link')) }, ['links']),
  confClasses: object({ conformsTo: listOf(text) }, ['conformsTo']),
  processSummary: object(summary, ['id', 'version']),
  process: object({ ...summary, inputs: members, outputs: members }, ['id', 'version']),
  processList: object({ processes: listOf(ref('processSummary')), links: listOf(ref('link')) }, [
    'processes',
    'links',
  ]),
  ogcapppkg,
  execute,
  subscriber: object({ successUri: address, inProgressUri: address, failedUri: address }),
  statusInfo,
  jobList: object({ jobs: listOf(ref('statusInfo')), links: listOf(ref('link')) }, [
    'jobs',
    'links',
  ]),
  results: { type: 'object', additionalProperties: true },
  exception: object(
    { type: text, title: text, status: { type: 'integer' }, detail: text, instance: text },
    ['type'],
  ),
};

/** What the 2.0 draft says otherwise. */
export const DRAFT_SCHEMAS: Readonly<Record<string, Json>> = {
  statusInfo: object(
    {
      ...statusMembers,
      id: text,
      processingEntityType: { ...text, enum: ['ogc-api-processes'] },
      exception: ref('exception'),
    },
    [...REQUIRED, 'id', 'processingEntityType'],
  ),
};
