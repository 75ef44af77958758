import { type Declaration, declaredIn } from './declarations.ts';
import { code, madeOf, table } from './table.ts';

interface Options {
  readonly title: string;
  /** Files below packages/ and names of interfaces; members of the first win. */
  readonly from: readonly (readonly [path: string, name: string])[];
}

const OPTIONS: readonly Options[] = [
  {
    title: 'defineJob',
    from: [
      ['pawl/src/handler/define-job.ts', 'JobSchemas'],
      ['pawl/src/handler/define-job.ts', 'HandlerOptions'],
      ['pawl/src/handler/policy-options.ts', 'PolicyOptions'],
    ],
  },
  {
    title: 'limits of defineJob',
    from: [
      ['pawl/src/handler/policy-options.ts', 'LimitOptions'],
      ['pawl/src/core/limits.ts', 'LimitDefinition'],
    ],
  },
  { title: 'runMany', from: [['pawl/src/handler/batch.ts', 'BatchOptions']] },
  { title: 'call, callAll and spawn', from: [['pawl/src/handler/waits.ts', 'CallOptions']] },
  { title: 'openPawl', from: [['pawl/src/pawl/open-pawl.ts', 'PawlOptions']] },
  { title: 'pawl.work', from: [['pawl/src/pawl/pawl.ts', 'WorkOptions']] },
  {
    title: 'enqueue',
    from: [
      ['pawl/src/handle/enqueue-options.ts', 'EnqueueOptions'],
      ['pawl/src/pawl/pawl.ts', 'PawlEnqueueOptions'],
    ],
  },
  { title: 'item of enqueueGraph', from: [['pawl/src/handle/graph.ts', 'GraphOptions']] },
  { title: 'new PawlClient', from: [['pawl/src/client/connection.ts', 'ConnectionOptions']] },
  { title: 'openWorld', from: [['pawl/src/testing/world.ts', 'WorldOptions']] },
  { title: 'aesCodec', from: [['pawl/src/codec/key-ring.ts', 'KeyRingOptions']] },
  { title: 'defineConfig', from: [['pawl/src/settings/config-file.ts', 'Config']] },
  { title: 'serve of @pawl/server', from: [['server/src/serve.ts', 'ServeOptions']] },
  { title: 'ogc of @pawl/ogc', from: [['ogc/src/settings.ts', 'OgcOptions']] },
];

const INTRODUCTION = `\
The options of every function that takes some, with their defaults. Options without a default are
required where they are marked so, and otherwise have no effect when they are left out. Settings of
the platform are in [configuration](configuration.md).`;

export interface OptionGroup {
  readonly title: string;
  readonly members: Declaration['members'];
}

export function optionGroups(): OptionGroup[] {
  return OPTIONS.map(({ title, from }) => {
    const all = from.flatMap(([path, name]) => declaredIn(`packages/${path}`, name)!.members);
    const members = all.filter(
      (one, index) => all.findIndex(({ name }) => name === one.name) === index,
    );
    return { title, members };
  });
}

const DEFAULT = /(?:^|[;.,] |\()[Dd]efault: ((?:`[^`]*`|'[^']*'|[^.;`'])+)[.;)]?/;

/** docs/reference/options.md, whole. */
export function optionsPage(): string {
  return [
    '# Options',
    '',
    madeOf('the comments of the sources'),
    '',
    INTRODUCTION,
    '',
    ...optionGroups().flatMap(({ title, members }) => [
      `## ${title}`,
      '',
      ...table(
        ['option', 'type', 'default', 'meaning'],
        members.map(({ name, type, isOptional, comment }) => [
          code(name),
          code(type.length > 70 ? `${type.slice(0, 69)}…` : type),
          DEFAULT.exec(comment)?.[1]?.trim() ?? (isOptional ? '–' : 'required'),
          comment,
        ]),
      ),
      '',
    ]),
  ].join('\n');
}
