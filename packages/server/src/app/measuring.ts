import { fastify, type FastifyInstance } from 'fastify';
import { systemTimers } from 'pawl/internal/core/timers';
import type { EngineContext } from 'pawl/internal/engine/context';
import { HistoryReader } from 'pawl/internal/engine/history/reader';
import type { EngineOptions } from 'pawl/internal/engine/open-context';
import { EngineMetrics } from '../metrics/engine-metrics.ts';
import { watchDatabase } from '../metrics/database-gauges.ts';
import { measuredStore } from '../metrics/measured-store.ts';
import { Meter } from '../metrics/meter.ts';
import { watchSlo } from '../metrics/slo-gauges.ts';
import { workerMetrics } from '../metrics/worker-metrics.ts';
import { SloReader } from '../slo/reader.ts';
import type { Store } from 'pawl/internal/store/store';
import { traceAttempts } from 'pawl/internal/tracing/trace-attempts';
import { traceEnqueues } from 'pawl/internal/tracing/trace-enqueues';
import { startTracingSdk } from 'pawl/internal/tracing/start-sdk';
import { watchTogether, type WorkerWatch } from 'pawl/internal/worker/watch';
import type { Configuration } from './configuration.ts';
import type { MeasuringSettings } from './measuring-settings.ts';

/** Metrics, promises and traces of one process. */
export interface Measuring {
  readonly meter: Meter;
  /** For the worker of this process. */
  readonly watch: WorkerWatch | null;
  /** The same store, its answers timed. */
  measured(store: Store): Store;
  /** For the engine of this process. */
  readonly hooks: Required<Pick<EngineOptions, 'observer' | 'tracer'>>;
  /** From now on the database is looked at, and the ends of jobs are counted. */
  start(
    context: EngineContext,
    configuration: Configuration,
  ): Promise<{ metricsUrl: string | null }>;
  stop(): Promise<void>;
}

/** Traces go to a collector where one is named. */
export async function openMeasuring({ tracedAs }: MeasuringSettings): Promise<Measuring> {
  const sdk = tracedAs === null ? null : await startTracingSdk(tracedAs);
  const meter = new Meter();
  const observer = new EngineMetrics(meter);
  let reader: SloReader | null = null;
  let history: HistoryReader | null = null;
  let server: FastifyInstance | null = null;
  return {
    meter,
    watch: watchTogether([workerMetrics(observer), traceAttempts]),
    measured: (store) => measuredStore(store, meter),
    hooks: { observer, tracer: traceEnqueues },
    start: async (context, { host, measuring: { metricsPort }, roles }) => {
      watchDatabase(meter, context);
      watchSlo(meter, context);
      reader = new SloReader(context, { timers: systemTimers });
      history = new HistoryReader(context, { timers: systemTimers });
      if (roles.has('sweeper')) {
        reader.start();
        history.start();
      }
      if (metricsPort === null) return { metricsUrl: null };
      server = serveMeter(meter);
      return { metricsUrl: await server.listen({ host, port: metricsPort }) };
    },
    stop: async () => {
      await reader?.stop();
      await history?.stop();
      await server?.close();
      await sdk?.stop();
    },
  };
}

/** On a port of its own, where nothing else is to be had. */
function serveMeter(meter: Meter): FastifyInstance {
  const server = fastify({ logger: false, return503OnClosing: false, forceCloseConnections: true });
  server.get('/metrics', async (_request, reply) =>
    reply.type(meter.contentType).send(await meter.scrape()),
  );
  return server;
}
