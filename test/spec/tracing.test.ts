import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, beforeEach, test } from 'node:test';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { seededIds } from 'pawl/internal/core/ids';
import { SeededRandom } from 'pawl/internal/core/random';
import { traceParentIn } from 'pawl/internal/core/trace';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { type JobDefinition, typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { fail } from 'pawl/internal/handler/failure';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { isTracingWished, startTracingSdk } from 'pawl/internal/tracing/start-sdk';
import { traceAttempts } from 'pawl/internal/tracing/trace-attempts';
import { traceEnqueues } from 'pawl/internal/tracing/trace-enqueues';
import { jobThat, openWorkshop, type Workshop } from '../support/workshop.ts';
import { openApi } from './http-fixture.ts';

const exporter = new InMemorySpanExporter();

function register(): void {
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors }));
}

function unregister(): void {
  trace.disable();
  context.disable();
}

beforeEach(() => {
  exporter.reset();
  unregister();
});
after(unregister);

function spans(): ReadableSpan[] {
  return exporter.getFinishedSpans();
}

function named(name: string): ReadableSpan[] {
  return spans().filter((span) => span.name === name);
}

function idOf(span: ReadableSpan): string {
  return span.spanContext().spanId;
}

/** Spans that a span points to, by the kind of its links. */
function linked(span: ReadableSpan, relation: string): string[] {
  return span.links
    .filter(({ attributes }) => attributes?.['pawl.link'] === relation)
    .map((link) => link.context.spanId);
}

/** A workshop whose engine and worker are traced. */
async function tracedShop(job: JobDefinition): Promise<{ shop: Workshop; engine: Engine }> {
  const shop = await openWorkshop([job]);
  const { store, clock, random } = shop.world;
  const ids = seededIds(clock, new SeededRandom(7));
  const lifecycles = builtInLifecycles;
  const engine = new Engine(
    openContext({ store, lifecycles, random, ids, clock, tracer: traceEnqueues }),
  );
  return { shop, engine };
}

async function enqueue(engine: Engine, more: { traceId?: string } = {}): Promise<void> {
  const caller = { tenant: 'acme', principal: null };
  const [result] = await engine.enqueue([{ type: 'job', ...more }], { caller });
  assert.equal(result!.kind, 'created');
}

/** Fails in its second stage at the first attempt, and works at the next. */
function flaky(): JobDefinition {
  return jobThat(
    async ({ stage, attempt }) => {
      await stage('plan', () => 'planned');
      await stage('render', () => {
        trace.getTracer('handler').startSpan('inner work').end();
        if (attempt === 1) throw fail('network_timeout', 'the secret of the customer');
      });
    },
    { retryable: ['network_timeout'] },
  );
}

async function runTwice(shop: Workshop, engine: Engine): Promise<void> {
  const worker = shop.worker({ source: engine, watch: traceAttempts });
  await shop.runUntilIdle(worker);
  shop.timers.advance(1_000);
  await shop.world.sweep();
  await shop.runUntilIdle(worker);
}

test('[R23] one trace leads from the enqueue over a failed attempt and its retry to the end', async () => {
  register();
  const { shop, engine } = await tracedShop(flaky());
  await enqueue(engine);
  await runTwice(shop, engine);
  const [sent] = named('enqueue job');
  const [first, second] = named('process job');
  assert.equal(sent!.kind, SpanKind.PRODUCER);
  assert.equal(first!.kind, SpanKind.CONSUMER);
  const traceId = sent!.spanContext().traceId;
  for (const span of spans().filter(({ name }) => name !== 'claim')) {
    assert.equal(span.spanContext().traceId, traceId, span.name);
  }
  for (const attempt of [first!, second!]) {
    assert.equal(attempt.parentSpanContext?.spanId, idOf(sent!));
    assert.deepEqual(linked(attempt, 'enqueue'), [idOf(sent!)]);
  }
  assert.deepEqual(linked(first!, 'retry'), []);
  assert.deepEqual(linked(second!, 'retry'), [idOf(first!)], 'a retry points to the one before');
  assert.equal(first!.status.code, SpanStatusCode.ERROR);
  assert.equal(first!.attributes['error.type'], 'network_timeout');
  assert.equal(second!.status.code, SpanStatusCode.UNSET);
  assert.equal(second!.attributes['pawl.attempt'], 2);
});

test('stages and the report of the end are parts of their attempt, and so is what a handler does', async () => {
  register();
  const { shop, engine } = await tracedShop(flaky());
  await enqueue(engine);
  await runTwice(shop, engine);
  const [first, second] = named('process job');
  const parents = (name: string) => named(name).map((span) => span.parentSpanContext?.spanId);
  assert.deepEqual(parents('stage plan'), [idOf(first!)], 'a kept stage is not run again');
  assert.deepEqual(parents('stage render'), [idOf(first!), idOf(second!)]);
  assert.deepEqual(parents('inner work'), named('stage render').map(idOf));
  assert.deepEqual(parents('settle'), [idOf(first!), idOf(second!)]);
  const kinds = named('settle').map(({ attributes }) => attributes['messaging.operation.name']);
  assert.deepEqual(kinds, ['fail', 'succeed']);
  const [sent] = named('enqueue job');
  for (const claim of named('claim')) assert.deepEqual(linked(claim, 'enqueue'), [idOf(sent!)]);
});

test('no span holds what a job says: neither input, result nor the message of an error', async () => {
  register();
  const { shop, engine } = await tracedShop(flaky());
  const caller = { tenant: 'acme', principal: null };
  await engine.enqueue([{ type: 'job', input: { canary: 'CANARY-INPUT' } }], { caller });
  await runTwice(shop, engine);
  const text = JSON.stringify(
    spans().map(({ name, attributes, status, events, links }) => {
      return { name, attributes, status, events, links };
    }),
  );
  assert.ok(spans().length > 5);
  assert.doesNotMatch(text, /CANARY|secret of the customer/);
});

test('[R23] the traceparent of a caller leads over the request and the enqueue to the worker', async () => {
  register();
  const shop = await openWorkshop([flaky()]);
  const { store, clock, random } = shop.world;
  const ids = seededIds(clock, new SeededRandom(7));
  const lifecycles = builtInLifecycles;
  const engine = new Engine(
    openContext({ store, lifecycles, random, ids, clock, tracer: traceEnqueues }),
  );
  const api = await openApi({ server: () => ({ engine }) });
  await engine.putType({ tenant: 'default', type: 'job' }, typeDefinitionOf(flaky()));
  const [caller, callerSpan] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const traced = api.with({ traceparent: `00-${caller}-${callerSpan}-01` });
  const { body } = await traced.post('/v1/jobs', { type: 'job' });
  assert.equal(body.traceId, caller, 'people are shown the trace alone');
  await runTwice(shop, engine);
  const [request] = named('POST /v1/jobs');
  const [sent] = named('enqueue job');
  const [attempt] = named('process job');
  assert.equal(request!.parentSpanContext?.spanId, callerSpan);
  assert.equal(sent!.parentSpanContext?.spanId, idOf(request!));
  assert.equal(attempt!.parentSpanContext?.spanId, idOf(sent!));
  assert.equal(attempt!.spanContext().traceId, caller);
  await api.close();
});

test('without an SDK there are no spans, and the caller is still kept for workers that have one', async () => {
  const { shop, engine } = await tracedShop(flaky());
  const kept = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  await enqueue(engine, { traceId: kept });
  await runTwice(shop, engine);
  assert.deepEqual(spans(), []);
  const { jobs } = await engine.jobs({ tenant: 'acme', limit: 1 });
  assert.equal(jobs[0]!.state, 'succeeded');
  assert.deepEqual(traceParentIn(jobs[0]!.traceId)?.spanId, '00f067aa0ba902b7');
  const names = (await shop.world.store.stages(jobs[0]!)).map(({ name }) => name);
  assert.deepEqual(names, ['plan', 'render'], 'nothing is written for traces');
});

test('the SDK is started only where a collector is named, and then sends what was recorded', async () => {
  assert.equal(isTracingWished({}), false);
  const wished = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
  assert.equal(isTracingWished({ ...wished, OTEL_SDK_DISABLED: 'true' }), false);
  const received: string[] = [];
  const collector = createServer((request, response) => {
    received.push(request.url ?? '');
    request.resume().on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as { port: number };
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${port}`;
  try {
    const sdk = await startTracingSdk('pawl-test');
    trace.getTracer('pawl').startSpan('one').end();
    await sdk.stop();
    assert.deepEqual(received, ['/v1/traces']);
  } finally {
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    collector.close();
  }
});
