import { context, trace } from '@opentelemetry/api';

/** A running SDK: `stop` sends what is left. */
export interface TracingSdk {
  stop(): Promise<void>;
}

/** What the SDK is made of: optional, for those who trace. */
const PACKAGES = [
  '@opentelemetry/sdk-trace',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/resources',
] as const;

/** True where the environment names a collector and does not forbid to use it. */
export function isTracingWished(env: NodeJS.ProcessEnv): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = env;
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  return ((traces ?? '') || (all ?? '')) !== '';
}

/**
 * Sends traces to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names.
 * A program that brings an SDK of its own does not call this: spans go there by themselves.
 */
export async function startTracingSdk(serviceName: string): Promise<TracingSdk> {
  const { sdk, exporter, hooks, resources } = await loadSdk();
  const provider = new sdk.TracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': serviceName })),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new exporter.OTLPTraceExporter() })],
  });
  context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  return {
    stop: async () => {
      // A collector that is gone must not keep the platform from stopping.
      await provider.shutdown().catch(() => undefined);
      trace.disable();
      context.disable();
    },
  };
}

async function loadSdk() {
  try {
    const [sdk, exporter, hooks, resources] = await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/resources'),
    ]);
    return { sdk, exporter, hooks, resources };
  } catch (cause) {
    const message =
      'OTEL_EXPORTER_OTLP_ENDPOINT asks for traces, which needs packages that are not installed: ' +
      `npm install ${PACKAGES.join(' ')}`;
    throw new Error(message, { cause });
  }
}
