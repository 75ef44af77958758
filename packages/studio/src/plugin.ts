import { join } from 'node:path';
import { type JobDefinition, type Outgoing, systemRandom, systemTimers } from 'pawl/define';
import { definePlugin, type Plugin, type PluginHost } from 'pawl/plugin';
import { AI_SPENDING, Spending } from './ai/budget.ts';
import { endpointModel } from './ai/endpoint.ts';
import { extractiveModel } from './ai/extractive.ts';
import type { AiDependencies } from './ai/job.ts';
import type { Model } from './ai/model.ts';
import { spendingRoute } from './ai/spending-route.ts';
import { builtInJobs } from './built-in.ts';
import { jobAccess } from './job-access.ts';
import { STUDIO_SETTINGS } from './setting-list.ts';
import { readStudioSettings, type StudioSettings } from './settings.ts';

/** The built-in job types as a plug-in. A type that the program defines itself is left out. */
export function studio(): Plugin {
  let client: Outgoing | null = null;
  return definePlugin({
    name: 'studio',
    settings: STUDIO_SETTINGS,
    records: [AI_SPENDING],
    start: (host) => {
      const settings = readStudioSettings(host.settings);
      if (!settings.isOn) return;
      const { model, outgoing } = openModel(settings.ai, host);
      client = outgoing;
      const { prices, budgets } = settings.ai;
      // The embedded model costs nothing.
      const isPaid = prices !== null && settings.ai.endpoint !== null;
      const spending = isPaid ? new Spending(host.records, prices, budgets) : null;
      return {
        jobs: jobsOf(settings, host, { model, spending }),
        routes: spending === null ? [] : [spendingRoute(spending)],
      };
    },
    stop: () => client?.close(),
  });
}

function jobsOf(
  { ai, mail, executeAllow: allow }: StudioSettings,
  { engine, artifacts, http, dataFolder }: PluginHost,
  asking: Pick<AiDependencies, 'model' | 'spending'>,
): readonly JobDefinition[] {
  return builtInJobs({
    ai: {
      ...asking,
      random: systemRandom,
      mayPersist: ai.mayPersist,
      timeoutMs: ai.timeoutMs,
      rate: {
        perUser: { max: ai.userPerMinute, per: '1m' },
        perOrganisation: { max: ai.organisationPerMinute, per: '1m' },
      },
    },
    email: { ...mail, outboxFolder: join(dataFolder, 'outbox') },
    batch: { access: jobAccess(engine, artifacts), timers: systemTimers },
    research: { outgoing: http },
    execute: { allow },
  });
}

/** Whoever runs the platform named the endpoint, so it may be a private one, and it alone. */
function openModel(
  { endpoint, timeoutMs, stallMs }: StudioSettings['ai'],
  { http }: PluginHost,
): { model: Model; outgoing: Outgoing | null } {
  if (endpoint === null) return { model: extractiveModel, outgoing: null };
  const { protocol, hostname, port } = new URL(endpoint.baseUrl);
  const place = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const outgoing = http.allowing([place]);
  const stall = { stallMs, timers: systemTimers };
  return { model: endpointModel({ ...endpoint, timeoutMs, stall, outgoing }), outgoing };
}
