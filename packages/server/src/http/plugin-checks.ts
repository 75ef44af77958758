import { type Finding, type Found, found } from 'pawl/internal/doctor/finding';
import type { PluginCheck } from 'pawl/internal/plugin/plugin';

/** A check that takes longer says nothing more about the platform. */
const CHECK_MS_MAX = 10_000;

/** What the checks of plug-ins have found. One that fails is itself a finding. */
export function findingsOf(checks: readonly PluginCheck[]): Promise<Finding[]> {
  return Promise.all(
    checks.map(async ({ name, run }) => ({ check: name, ...(await bounded(run)) })),
  );
}

async function bounded(run: PluginCheck['run']): Promise<Found> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`it did not answer within ${CHECK_MS_MAX / 1_000} s`));
  }, CHECK_MS_MAX);
  try {
    return await Promise.race([Promise.resolve().then(run), late]);
  } catch (error) {
    const message = `the check itself failed: ${String(error)}`;
    return found('warning', message, 'Look at the plug-in that brings this check, or report it.');
  } finally {
    clearTimeout(timer);
  }
}
