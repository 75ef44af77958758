// The files of deploy/ say things that are true of the product. Whether an engine likes them is
// told by the linters that deploy/README.md names.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Command } from 'commander';
import { inRepository } from '../../scripts/run/repository.ts';
import { buildProgram } from 'pawl/internal/cli/program';
import { compose as composed } from '@pawl/server/internal/app/composed';
import { METRICS } from '@pawl/server/internal/metrics/registry';

function read(name: string): string {
  return readFileSync(inRepository('deploy', name), 'utf8');
}

const dockerfile = read('Dockerfile');
const compose = read('compose.yaml');
const kubernetes = read('kubernetes/pawl.yaml');
const unit = read('pawl.service');
const manifest = JSON.parse(readFileSync(inRepository('packages/pawl/package.json'), 'utf8')) as {
  bin: { pawl: string };
  engines: { node: string };
};

const { resolved } = await composed({ env: {} });
const KNOWN: ReadonlySet<string> = new Set(resolved.map(({ setting }) => setting.name));

test('every setting that they give is one that there is', () => {
  for (const [file, text] of Object.entries({ dockerfile, compose, kubernetes, unit })) {
    const names = text.match(/\b(?:PAWL|LOG|DATABASE|OTEL)_[A-Z0-9_]+\b/g) ?? [];
    assert.ok(names.length > 0, file);
    for (const name of names) {
      assert.ok(KNOWN.has(name) || KNOWN.has(name.replace(/_FILE$/, '')), `${file}: ${name}`);
    }
  }
});

const program = (await buildProgram('1')).exitOverride();

function understood(words: readonly string[]): void {
  const quiet = (command: Command): void => {
    command.commands.forEach(quiet);
    command.exitOverride().configureOutput({ writeErr: () => undefined });
    if (command.commands.length === 0) command.action(() => undefined);
  };
  program.commands.forEach(quiet);
  program.parse([...words], { from: 'user' });
}

test('every command that they run is understood by the command line', () => {
  const lists = [...`${compose}\n${kubernetes}`.matchAll(/(?:command|args): \[(start[^\]]*)\]/g)];
  assert.equal(lists.length, 4);
  for (const [, list] of lists) {
    understood(
      list!.split(/,\s*(?=[^']*(?:'[^']*'[^']*)*$)/).map((word) => word.replaceAll("'", '')),
    );
  }
  understood(JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)![1]!) as string[]);
  understood(/^ExecStart=\S+ \S+ (.*)$/m.exec(unit)![1]!.split(' '));
  assert.throws(() => understood(['start', '--rolle', 'worker']));
});

test('the image has a Node that will do, runs as nobody in particular, and tells its health', () => {
  const oldest = Number(/\d+/.exec(manifest.engines.node)![0]);
  for (const [, major] of dockerfile.matchAll(/^FROM node:(\d+)/gm)) {
    assert.ok(Number(major) >= oldest);
  }
  assert.match(dockerfile, /^USER [1-9]\d*$/m);
  assert.ok(dockerfile.indexOf('USER ') < dockerfile.indexOf('ENTRYPOINT'));
  assert.match(dockerfile, /^HEALTHCHECK .*\\\n\s+CMD \["node", "-e", "fetch\(.*\/livez/m);
  const started = manifest.bin.pawl.replace('./', '/app/node_modules/pawl/');
  assert.ok(dockerfile.includes(`ENTRYPOINT ["node", "${started}"]`));
});

test('whoever stops a process waits longer than the process drains', () => {
  const seconds = (text: string, pattern: RegExp): number[] =>
    [...text.matchAll(pattern)].map(([, value]) => Number(value));
  const drainMs = (text: string): number =>
    Number(/PAWL_DRAIN_MS[=:] ?'?(\d+)/.exec(text)?.[1] ?? Number.NaN);
  const graces = seconds(kubernetes, /terminationGracePeriodSeconds: (\d+)/g);
  assert.equal(graces.length, 2);
  for (const grace of graces) assert.ok(grace * 1_000 > drainMs(kubernetes));
  for (const grace of seconds(compose, /stop_grace_period: (\d+)s/g)) {
    assert.ok(grace * 1_000 > drainMs(dockerfile));
  }
  assert.ok(seconds(unit, /TimeoutStopSec=(\d+)/g)[0]! * 1_000 > drainMs(unit));
});

test('in a cluster there are probes, a budget, and workers by a metric that there is', () => {
  for (const path of ['/livez', '/readyz']) assert.ok(kubernetes.includes(`path: ${path}`));
  assert.match(kubernetes, /kind: PodDisruptionBudget/);
  const metric = /metric: \{ name: (\w+) \}/.exec(kubernetes)![1]!;
  assert.ok(metric in METRICS, metric);
  assert.equal(kubernetes.match(/runAsNonRoot: true/g)?.length, 2);
});

test('the composed stack has PostgreSQL and three workers', () => {
  assert.match(compose, /image: postgres:18/);
  assert.match(compose, /deploy: \{ replicas: 3 \}/);
  assert.match(compose, /condition: service_healthy/);
});
