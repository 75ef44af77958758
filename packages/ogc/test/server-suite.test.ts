// What the official test suite asserts (OGC API – Processes 1.0), test by test and in its words,
// on a server that listens. Where it validates by a schema of the standard, so does this.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { Compile } from 'typebox/schema';
import { jobWhen } from '../../../test/support/job-when.ts';
import { type Answer, openOgcServer, pathOf } from './server-fixture.ts';
import { STANDARD } from './server-standard.ts';

const server = await openOgcServer();
const EXECUTION = '/processes/echo/execution';
const ASYNC = { prefer: 'respond-async' };
const RESULTS = 'http://www.opengis.net/def/rel/ogc/1.0/results';
const NOT_READY = 'http://www.opengis.net/def/exceptions/ogcapi-processes-1/1.0/result-not-ready';

interface Link {
  readonly href: string;
  readonly rel: string;
}

const inputs = { message: 'teststring' };
const oneOutput = { outputs: { message: { transmissionMode: 'value' } } };
const twoOutputs = {
  outputs: { message: { transmissionMode: 'value' }, pause: { transmissionMode: 'value' } },
};

function fits(name: keyof typeof STANDARD, value: unknown): void {
  const [isFit, errors] = Compile(STANDARD[name] as never).Errors(value);
  assert.ok(isFit, `${name}: ${JSON.stringify(errors)} in ${JSON.stringify(value)}`);
}

/** The suite reads content types by how they begin. */
function isJson({ headers }: Answer): boolean {
  return (headers.get('content-type') ?? '').startsWith('application/json');
}

async function locationOf(answer: Answer): Promise<string> {
  const location = answer.headers.get('location');
  assert.ok(location, 'there is a Location');
  assert.doesNotMatch(location, /[?#]|\/$/);
  return pathOf(server, location);
}

test('testHttp: the landing page is served by HTTP/1.1', async () => {
  const version = await new Promise((found, failed) => {
    request(server.url, (response) => {
      response.resume();
      found(response.httpVersion);
    })
      .on('error', failed)
      .end();
  });
  assert.equal(version, '1.1');
});

test('testLandingPage: 200 in JSON, with links to the API, the conformance and the processes', async () => {
  const answer = await server.get('/');
  assert.equal(answer.status, 200);
  assert.ok(isJson(answer));
  fits('landingPage', answer.json);
  const rels = (answer.json.links as Link[]).map(({ rel }) => rel);
  for (const rel of ['service-desc', 'service-doc']) assert.ok(rels.includes(rel), rel);
  for (const word of ['conformance', 'processes', 'job-list']) {
    assert.ok(rels.includes(`http://www.opengis.net/def/rel/ogc/1.0/${word}`), word);
  }
});

test('testValidateConformanceOperationAndResponse: the class core is among those named', async () => {
  const { status, json } = await server.get('/conformance');
  assert.equal(status, 200);
  fits('confClasses', json);
  const base = 'http://www.opengis.net/spec/ogcapi-processes-1/1.0/conf/';
  const classes = 'core ogc-process-description json html oas30 job-list callback dismiss'.split(
    ' ',
  );
  assert.deepEqual(
    json.conformsTo.filter((one: string) => one.startsWith(base)),
    classes.map((one) => base + one),
  );
});

test('testPlLimitResponse: limit=1 gives exactly one process, and links are a list', async () => {
  const { status, json } = await server.get('/processes?limit=1');
  assert.equal(status, 200);
  assert.equal(json.processes.length, 1);
  assert.ok(Array.isArray(json.links));
});

test('testProcessList: there is a process at least, and the list is of its schema', async () => {
  const answer = await server.get('/processes');
  assert.ok(isJson(answer));
  fits('processList', answer.json);
  assert.ok(answer.json.processes.length >= 1);
});

test('testProcess, testOGCProcessDescription*: the description of echo is whole', async () => {
  const answer = await server.get('/processes/echo');
  assert.equal(answer.status, 200);
  assert.ok(isJson(answer));
  fits('process', answer.json);
  const { inputs: takes, outputs: gives } = answer.json;
  const [first] = Object.keys(takes);
  assert.deepEqual(takes[first!].schema, { type: 'string' });
  assert.ok(Object.hasOwn(gives, first!), 'an output with the id of the first input');
  assert.ok(Object.keys(gives).length >= 2);
  assert.equal(takes.pause.schema.type, 'number');
  for (const one of [...Object.values<object>(takes), ...Object.values<object>(gives)]) {
    assert.ok('schema' in one);
  }
});

test('testJobCreationInputArray, …InlineBbox, …InlineObject, …InlineMixed: each kind comes back', async () => {
  const { json } = await server.get('/processes/echo');
  assert.deepEqual(json.inputs.numbers.schema.items, { type: 'integer' });
  assert.ok(Object.hasOwn(json.inputs.box.schema.properties, 'bbox'));
  assert.equal(json.inputs.image.schema.contentMediaType, 'image/png');
  for (const side of [json.inputs, json.outputs]) assert.equal(side.either.schema.oneOf.length, 2);
  // As the suite sends them.
  const crs = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';
  const said = {
    ...inputs,
    record: { value: 'teststring' },
    numbers: [1, 2, 3],
    box: { bbox: [51.9, 7, 52, 7.1], crs },
    image: { value: 'iVBORw==', format: { mediaType: 'image/png', encoding: 'base64' } },
    either: 'teststring',
  };
  const document = await server.post(EXECUTION, { inputs: said, response: 'document' });
  assert.equal(document.status, 200, document.text);
  assert.deepEqual(document.json, {
    ...inputs,
    pause: 0,
    record: { value: { value: 'teststring' } },
    numbers: [1, 2, 3],
    box: { value: said.box },
    image: { value: 'iVBORw==', encoding: 'base64', mediaType: 'image/png' },
    either: 'teststring',
  });
  for (const [name, value] of [
    ['either', 7],
    ['numbers', [1]],
  ] as const) {
    const asked = { inputs: { ...inputs, [name]: value }, outputs: { [name]: {} } };
    assert.deepEqual((await server.post(EXECUTION, asked)).json, value, name);
  }
  const wrong = [{ either: true }, { numbers: 'teststring' }, { image: { type: 'wrong/type' } }];
  for (const one of wrong) {
    const answer = await server.post(EXECUTION, { inputs: { ...inputs, ...one } });
    assert.deepEqual([answer.status, isJson(answer)], [400, true], JSON.stringify(one));
  }
});

test('testProcessExceptionNoSuchProcess: an unknown process is a JSON exception with a type', async () => {
  const answer = await server.get('/processes/nobody-knows-it');
  assert.equal(answer.status, 404);
  assert.ok(isJson(answer));
  fits('exception', answer.json);
  assert.match(answer.json.type, /no-such-process$/);
});

test('testJobCreationAutoExecutionMode: with both modes respond-async is heeded', async () => {
  const answer = await server.post(EXECUTION, { inputs, ...oneOutput }, ASYNC);
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get('preference-applied'), 'respond-async');
});

test('testJobCreationDefaultExecutionMode: without Prefer the execution is synchronous', async () => {
  const { status } = await server.post(EXECUTION, { inputs, ...oneOutput });
  assert.equal(status, 200);
});

test('testJobCreationInputs*: inline and qualified values are taken alike', async () => {
  for (const message of ['teststring', { value: 'teststring' }]) {
    const { status, text } = await server.post(EXECUTION, { inputs: { message }, ...oneOutput });
    assert.equal(status, 200);
    assert.equal(text, 'teststring');
  }
});

test('testJobCreationInputRef, …DefaultOutputs: several raw outputs are parts, one with the text', async () => {
  const { status, headers, text } = await server.post(EXECUTION, { inputs });
  assert.equal(status, 200);
  const [, boundary] = /^multipart\/related;.*boundary="([^"]+)"/.exec(
    headers.get('content-type')!,
  )!;
  const parts = text.split(`--${boundary}`).slice(1, -1);
  assert.equal(parts.length, 2);
  assert.match(
    parts[0]!,
    /^\r\nContent-Type: text\/plain.*\r\nContent-ID: message\r\n\r\nteststring/,
  );
});

test('testJobCreationInputValidation: what does not fit the description is 400 in JSON', async () => {
  for (const wrong of [{}, { message: 5 }, { message: 'x', pause: 'long' }, { ...inputs, no: 1 }]) {
    const answer = await server.post(EXECUTION, { inputs: wrong });
    assert.equal(answer.status, 400);
    assert.ok(isJson(answer));
    fits('exception', answer.json);
  }
});

test('testJobCreationOp, …SuccessAsync, testJobSuccess: Location leads to a status, without Accept', async () => {
  const asked = { prefer: 'respond-async ' };
  const answer = await server.post(EXECUTION, { inputs, ...oneOutput }, asked);
  assert.equal(answer.status, 201);
  fits('statusInfo', answer.json);
  const status = await server.get(await locationOf(answer));
  assert.equal(status.status, 200);
  assert.ok(isJson(status));
  fits('statusInfo', status.json);
});

test('testJobCreationSyncDocument: a document has the outputs by their ids', async () => {
  const { status, json } = await server.post(EXECUTION, { inputs, response: 'document' });
  assert.equal(status, 200);
  assert.deepEqual(json, { message: 'teststring', pause: 0 });
});

test('testJobCreationSyncRaw*: values of one output and of several', async () => {
  const raw = { inputs, response: 'raw' };
  const one = await server.post(EXECUTION, { ...raw, ...oneOutput });
  assert.equal(one.status, 200);
  assert.match(one.text, /teststring/);
  assert.match(one.headers.get('content-type')!, /^text\/plain/);
  const several = await server.post(EXECUTION, { ...raw, ...twoOutputs });
  assert.equal(several.status, 200);
  assert.match(several.headers.get('content-type')!, /^multipart\/related/);
});

test('testJobExceptionNoSuchJob, testJobResultsNoSuchJob: 404 in JSON with a type', async () => {
  for (const path of ['/jobs/nobody', '/jobs/00000000-0000-7000-8000-000000000000/results']) {
    const answer = await server.get(path);
    assert.equal(answer.status, 404);
    assert.ok(isJson(answer));
    fits('exception', answer.json);
    assert.match(answer.json.type, /no-such-job$/);
  }
});

test('testJobResultsExceptionResultsNotReady: in the pause there are no results yet', async () => {
  const begun = await server.post(EXECUTION, { inputs: { ...inputs, pause: 600 } }, ASYNC);
  const answer = await server.get(`${await locationOf(begun)}/results`);
  assert.equal(answer.status, 404);
  assert.equal(answer.json.type, NOT_READY);
  fits('exception', answer.json);
});

test('testJobResultsFailed: a request that is none is refused at once', async () => {
  const answer = await server.post(EXECUTION, { 'invalid-execute-request': 'invalid' });
  assert.equal(answer.status, 400);
  fits('exception', answer.json);
});

test('testJobResultsAsyncRawValueOne: the status leads by monitor to the results', async () => {
  const begun = await server.post(EXECUTION, { inputs, ...oneOutput }, ASYNC);
  assert.equal(begun.status, 201);
  const links = begun.json.links as Link[];
  const monitor = links.find(({ rel }) => rel === 'monitor')!;
  await jobWhen(server.engine, { tenant: 'default', id: begun.json.jobID as string });
  const { json: status } = await server.get(pathOf(server, monitor.href));
  const { href } = (status.links as Link[]).find(({ rel }) => rel === RESULTS)!;
  const results = await server.get(pathOf(server, href));
  assert.equal(results.status, 200);
  assert.match(results.text, /teststring/);
});

test('testJobResultsSync: the Link of a synchronous answer can be used as the suite does', async () => {
  const { headers } = await server.post(EXECUTION, { inputs, ...oneOutput });
  const link = headers.get('link')!;
  assert.match(link, /rel=monitor/);
  const status = await server.get(pathOf(server, link.split(';')[0]!));
  assert.equal(status.status, 200);
  fits('statusInfo', status.json);
});

test('testJobList: the jobs are listed, in the schema of the standard', async () => {
  const answer = await server.get('/jobs');
  assert.equal(answer.status, 200);
  fits('jobList', answer.json);
  assert.ok(answer.json.jobs.length >= 1);
});
