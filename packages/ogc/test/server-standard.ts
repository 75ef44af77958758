// The schemas of OGC API – Processes 1.0 that the official suite validates by, put down as JSON
// Schema: required members and types as the standard has them, and nothing that may be null.
const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };

const link = {
  type: 'object',
  required: ['href'],
  properties: { href: text, rel: text, type: text, hreflang: text, title: text },
};

const links = { type: 'array', items: link };

const summary = {
  id: text,
  version: text,
  title: text,
  description: text,
  keywords: { type: 'array', items: text },
  jobControlOptions: {
    type: 'array',
    items: { enum: ['sync-execute', 'async-execute', 'dismiss'] },
  },
  outputTransmission: { type: 'array', items: { enum: ['value', 'reference'] } },
  links,
};

/** The keywords that the suite knows of a schema: OpenAPI 3.0, nothing newer. */
const KEYWORDS = `title multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength
  minLength pattern maxItems minItems uniqueItems maxProperties minProperties required enum type not
  allOf oneOf anyOf items properties additionalProperties description format default nullable
  readOnly writeOnly example deprecated contentMediaType contentEncoding contentSchema`.split(
  /\s+/,
);

const schema = {
  type: 'object',
  properties: {
    ...Object.fromEntries(KEYWORDS.map((name) => [name, {}])),
    type: text,
    exclusiveMinimum: { type: 'boolean' },
    exclusiveMaximum: { type: 'boolean' },
  },
  additionalProperties: false,
};

const member = {
  type: 'object',
  required: ['schema'],
  properties: { title: text, description: text, schema },
};

const members = { type: 'object', additionalProperties: member };

const statusInfo = {
  type: 'object',
  required: ['jobID', 'processID', 'status', 'type'],
  properties: {
    processID: text,
    type: { enum: ['process'] },
    jobID: text,
    status: { enum: ['accepted', 'running', 'successful', 'failed', 'dismissed'] },
    message: text,
    created: time,
    started: time,
    finished: time,
    updated: time,
    progress: { type: 'integer', minimum: 0, maximum: 100 },
    links,
  },
};

export const STANDARD = {
  landingPage: {
    type: 'object',
    required: ['links'],
    properties: { title: text, description: text, links },
  },
  confClasses: {
    type: 'object',
    required: ['conformsTo'],
    properties: { conformsTo: { type: 'array', items: text } },
  },
  processList: {
    type: 'object',
    required: ['processes', 'links'],
    properties: {
      processes: {
        type: 'array',
        items: { type: 'object', required: ['id', 'version'], properties: summary },
      },
      links,
    },
  },
  process: {
    type: 'object',
    required: ['id', 'version', 'inputs', 'outputs'],
    properties: { ...summary, inputs: members, outputs: members },
  },
  statusInfo,
  jobList: {
    type: 'object',
    required: ['jobs', 'links'],
    properties: { jobs: { type: 'array', items: statusInfo }, links },
  },
  exception: {
    type: 'object',
    required: ['type'],
    properties: {
      type: text,
      title: text,
      status: { type: 'integer' },
      detail: text,
      instance: text,
    },
  },
} as const;
