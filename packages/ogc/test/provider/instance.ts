// One instance of a platform with a gateway: its own engine, workers and connections.
import { openMemoryArtifacts } from 'pawl/internal/artifact/memory';
import { type InnerPawl, openInner } from '../../../../test/support/inner-pawl.ts';
import type { ArtifactStore } from 'pawl/internal/artifact/artifact-store';
import { systemClock } from 'pawl/internal/core/clock';
import type { Job } from 'pawl/internal/core/job';
import { largeSink } from 'pawl/internal/engine/by-reference';
import { readConfiguration } from '../../src/gateway/configuration.ts';
import type { ProcessCaller } from '../../src/model/process-source.ts';
import { type Gateway, type GatewayOptions, openGateway } from '../../src/gateway/gateway.ts';
import type { HttpClient } from '../../src/gateway/provider-client.ts';
import { createOutgoing } from '@pawl/server/internal/outgoing/outgoing';

export interface InstanceOptions {
  readonly database?: string;
  /** The `providers` of the file. */
  readonly providers: Readonly<Record<string, object>>;
  readonly artifacts?: string | ArtifactStore;
  readonly isWorking?: boolean;
  readonly isSweeping?: boolean;
  /** Parts of the gateway that are replaced. */
  readonly parts?: Partial<Pick<GatewayOptions, 'retry' | 'clock' | 'observers'>>;
  readonly client?: (own: HttpClient) => HttpClient;
}

export interface Instance {
  readonly pawl: InnerPawl;
  readonly gateway: Gateway;
  readonly warnings: readonly string[];
  readonly execute: (processId: string, request: Readonly<Record<string, unknown>>) => Promise<Job>;
  close(): Promise<void>;
}

export const CALLER: ProcessCaller = {
  tenant: 'default',
  principal: 'tester',
  groups: [],
  reach: 'tenant',
};

/** Short, so that what a killed process held is soon another's. */
const LEASE = { ttlMs: 6_000, heartbeatMs: 1_500 };

export async function openInstance(options: InstanceOptions): Promise<Instance> {
  const { database = ':memory:', providers } = options;
  const warnings: string[] = [];
  const log = {
    warn: (message: string, facts: unknown) =>
      void warnings.push(`${message} ${JSON.stringify(facts)}`),
  };
  const artifacts = options.artifacts ?? openMemoryArtifacts(systemClock);
  const pawl = await openInner({ database, jobs: [], artifacts, log });
  const http = createOutgoing({ allow: ['127.0.0.1'] });
  const configuration = readConfiguration(JSON.stringify({ providers }), {});
  const gateway = openGateway({
    engine: pawl.engine,
    artifacts: pawl.artifacts!,
    http: options.client?.(http) ?? http,
    configuration: () => configuration,
    log,
    ...options.parts,
    lease: LEASE,
    worker: { pollMs: { minMs: 10, maxMs: 100 } },
  });
  const { isWorking = true, isSweeping = true } = options;
  await gateway.start({ isWorking, isSweeping });
  return {
    pawl,
    gateway,
    warnings,
    execute: async (processId, request) => {
      const prepared = await gateway.prepare(CALLER, processId, request);
      if (prepared === null) throw new Error(`there is no process ${processId}`);
      const { inlineBytesMax, ...wish } = prepared;
      const sink = largeSink(pawl.engine, pawl.artifacts!, inlineBytesMax);
      const [result] = await sink.enqueue([wish], { caller: CALLER });
      if (result!.kind === 'refused') throw result!.error;
      gateway.wake!(wish.type);
      return result!.job;
    },
    close: async () => {
      await gateway.stop();
      await pawl.close();
      await http.close();
    },
  };
}
