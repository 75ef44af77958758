import type { EngineLog } from 'pawl/internal/engine/context';
import { parseAllowList } from '../outgoing/allow-list.ts';
import type { Outgoing } from 'pawl/internal/outgoing/outgoing';
import type { PluginHttp } from 'pawl/internal/plugin/host';
import { createOutgoing } from '../outgoing/outgoing.ts';
import { ConfigurationError } from 'pawl/internal/settings/configuration-error';

/** Which places that are not public the platform may send requests to. */
export interface OutgoingSettings {
  readonly allow: readonly string[];
}

export function readOutgoingSettings(env: NodeJS.ProcessEnv): OutgoingSettings {
  const allow = (env['PAWL_OUTGOING_ALLOW'] ?? '').split(/[\s,]+/).filter(Boolean);
  try {
    parseAllowList(allow);
  } catch (error) {
    throw new ConfigurationError('PAWL_OUTGOING_ALLOW', `has ${(error as Error).message}`);
  }
  return { allow };
}

/** The client of this process. What it may reach beyond the public internet is logged. */
export function openOutgoing({ allow }: OutgoingSettings, log: EngineLog): PluginHttp {
  if (allow.length > 0) {
    const message = 'requests to private addresses are allowed (PAWL_OUTGOING_ALLOW)';
    log.warn(message, { allow });
  }
  const allowing = (places: readonly string[]): Outgoing =>
    createOutgoing({ allow: [...allow, ...places] });
  return { ...allowing([]), allowing };
}
