import { PawlError } from '../core/errors.ts';
import type { EngineLog } from '../engine/context.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import { extensionOf, partsOf } from '../pawl/parts.ts';
import type { Pawl } from '../pawl/pawl.ts';
import type { JobDefinition } from '../handler/define-job.ts';
import type { PluginHttp } from './host.ts';
import type { Plugin } from './plugin.ts';
import { Plugins } from './plugins.ts';
import { PROCESS_ROLES } from './process-role.ts';

interface LibraryOptions {
  readonly jobs: readonly JobDefinition[];
  readonly log: EngineLog;
  /** A folder for files of plug-ins. */
  readonly dataFolder: string;
}

/** Starts plug-ins inside a program that has no server; `begin` what it answers with. */
export async function joinPlugins(
  pawl: Pawl,
  plugins: readonly Plugin[],
  { jobs, log, dataFolder }: LibraryOptions,
): Promise<Plugins> {
  const { context, engine, artifacts } = partsOf(pawl);
  const base = {
    pawl,
    engine,
    records: context.store.records,
    get artifacts() {
      return artifacts ?? missing('a store for artifacts: set it as `artifacts` of openPawl');
    },
    linkedArtifacts: () => missing('signed links to artifacts: run it with "pawl start"'),
    audit: engine.audit,
    secrets: { seal: withoutSecrets, open: withoutSecrets },
    http: libraryHttp(),
    log,
    settings: process.env,
    roles: new Set(PROCESS_ROLES),
    dataFolder,
    publicUrl: null,
  };
  const opened = await Plugins.start(plugins, base, jobs);
  const extension = extensionOf(pawl);
  extension.plugins.push(...opened.started);
  extension.add(opened.jobs);
  extension.onClose(() => opened.stop());
  return opened;
}

const withoutSecrets = (): never => missing('stored secrets: run it with "pawl start"');

function missing(what: string): never {
  throw new PawlError('VALIDATION_ERROR', `a plug-in needs ${what}`);
}

/** The guarded client is part of the server's package: it is loaded when it is first needed. */
function libraryHttp(): PluginHttp {
  return { ...lazyClient([]), allowing: lazyClient };
}

interface OutgoingModule {
  createOutgoing(options: { readonly allow: readonly string[] }): Outgoing;
}

function lazyClient(allow: readonly string[]): Outgoing {
  let client: Promise<Outgoing> | null = null;
  const open = (): Promise<Outgoing> =>
    (client ??= load().then((one) => one.createOutgoing({ allow })));
  return {
    fetch: async (url, request) => (await open()).fetch(url, request),
    check: async (url) => (await open()).check(url),
    close: async () => (await client)?.close(),
  };
}

async function load(): Promise<OutgoingModule> {
  const name = '@pawl/server/outgoing';
  try {
    return (await import(name)) as OutgoingModule;
  } catch (cause) {
    const message = 'a plug-in needs the guarded HTTP client: npm install @pawl/server';
    throw new PawlError('VALIDATION_ERROR', message, { cause });
  }
}
