import { isTracingWished } from 'pawl/internal/tracing/start-sdk';
import { ConfigurationError } from 'pawl/internal/settings/configuration-error';

/** How the platform is watched from outside. */
export interface MeasuringSettings {
  /** A second port for `/metrics`, without credentials; null: the API's own, with them. */
  readonly metricsPort: number | null;
  /** By which name traces are sent to a collector; null: they are not. */
  readonly tracedAs: string | null;
}

export function readMeasuringSettings(env: NodeJS.ProcessEnv): MeasuringSettings {
  const tracedAs = isTracingWished(env) ? (env['OTEL_SERVICE_NAME'] ?? 'pawl') : null;
  const text = env['PAWL_METRICS_PORT'];
  if (text === undefined || text === '') return { metricsPort: null, tracedAs };
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return { metricsPort: port, tracedAs };
  const fault = `is "${text}": give a whole number from 0 to 65535`;
  throw new ConfigurationError('PAWL_METRICS_PORT', fault);
}
