import { join } from 'node:path';
import { type JobDefinition, type Outgoing, systemRandom, systemTimers } from 'pawl/define';
import type { Artifacts, Engine } from 'pawl/plugin';
import { createOutgoing } from '@pawl/server/internal/outgoing/outgoing';
import { endpointModel } from './ai/endpoint.ts';
import { extractiveModel } from './ai/extractive.ts';
import type { Model } from './ai/model.ts';
import { builtInJobs } from './built-in.ts';
import { jobAccess } from './job-access.ts';
import type { OutgoingSettings } from '@pawl/server/internal/app/outgoing';
import type { StudioSettings } from './settings.ts';

/** The built-in types of a platform. */
export interface PlatformStudio {
  readonly jobs: readonly JobDefinition[];
  close(): Promise<void>;
}

/** Makes the built-in types, but for those that the platform's own jobs replace. */
export function openStudio(
  engine: Engine,
  options: {
    studio: StudioSettings;
    outgoing: OutgoingSettings;
    client: Outgoing;
    artifacts: Artifacts;
    dataFolder: string;
    own: readonly JobDefinition[];
  },
): PlatformStudio {
  const { studio, client, artifacts, dataFolder, own } = options;
  if (!studio.isOn) return { jobs: [], close: async () => undefined };
  const { ai, mail, executeAllow: allow } = studio;
  const { model, close } = openModel(ai, options.outgoing);
  const jobs = builtInJobs({
    ai: {
      model,
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
    research: { outgoing: client },
    execute: { allow },
  });
  const taken = new Set(own.map(({ type }) => type));
  return { jobs: jobs.filter(({ type }) => !taken.has(type)), close };
}

/** Whoever runs the platform named the endpoint, so it may be a private one, and it alone. */
function openModel(
  { endpoint, timeoutMs }: StudioSettings['ai'],
  { allow }: OutgoingSettings,
): { model: Model; close: () => Promise<void> } {
  if (endpoint === null) return { model: extractiveModel, close: async () => undefined };
  const { protocol, hostname, port } = new URL(endpoint.baseUrl);
  const place = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const outgoing = createOutgoing({ allow: [...allow, place] });
  const model = endpointModel({ ...endpoint, timeoutMs, outgoing });
  return { model, close: () => outgoing.close() };
}
