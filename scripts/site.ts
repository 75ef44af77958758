// `npm run site [-- folder] [--base /docs/]`: this version of the documentation as static files,
// beside the versions that the folder (by default `.cache/site`) already has.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildDashboard } from './build-dashboard.ts';
import { inRepository } from './run/repository.ts';
import { addVersion } from './site/add-version.ts';
import { siteFrame } from './site/write-site.ts';

const { values, positionals } = parseArgs({
  options: { base: { type: 'string', default: '/' } },
  allowPositionals: true,
});
const folder = resolve(positionals[0] ?? inRepository('.cache/site'));
const fault = await buildDashboard();
if (fault === null) {
  mkdirSync(folder, { recursive: true });
  const built = inRepository('packages/dashboard/dist/guides');
  const versions = addVersion(folder, { built, frame: siteFrame(), base: values.base });
  process.stdout.write(`${folder}: version ${versions.join(', ')}\n`);
} else {
  process.stderr.write(`The documentation could not be built:\n${fault}\n`);
  process.exitCode = 1;
}
