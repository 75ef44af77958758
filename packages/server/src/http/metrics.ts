import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Meter } from '../metrics/meter.ts';
import { requireHome } from './require-home.ts';
import type { StreamGate } from './sse.ts';

const DESCRIPTION =
  'Prometheus text. Counters and histograms are those of this process: add them up over ' +
  'processes. Gauges that the database tells (such as `job_in_progress`) are the same in every ' +
  'process: take their maximum. They are of all tenants together and name types and queues: ' +
  'where credentials are asked for, one of the home tenant is needed; others have `/v1/slo`.';

/** `/metrics`, and the time of every request in it. */
export function serveMetrics(app: FastifyInstance, meter: Meter, streams: StreamGate): void {
  meter.collectWith(async () => {
    meter.set('pawl_sse_streams', [{ labels: {}, value: streams.total }]);
  });
  app.addHook('onResponse', async (request, reply) => {
    // A stream lasts as long as its reader stays, which says nothing of the server.
    if (request.routeOptions.config.isLong) return;
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: `${Math.floor(reply.statusCode / 100)}xx`,
    };
    meter.observe('pawl_http_request_seconds', labels, reply.elapsedTime / 1_000);
  });
  app.get(
    '/metrics',
    {
      schema: {
        tags: ['Health'],
        operationId: 'readMetrics',
        summary: 'Metrics for Prometheus',
        description: DESCRIPTION,
        response: {
          200: {
            description: 'The metrics',
            content: { 'text/plain': { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      requireHome(request);
      return reply.type(meter.contentType).send(await meter.scrape());
    },
  );
}
