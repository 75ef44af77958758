// All of docs/reference that is made from data: path from the root of the repository, then text.
import { compose } from '@pawl/server/internal/app/composed';
import { lifecycleFiles } from '../diagrams/pages.ts';
import { metricsPage } from '../metrics/page.ts';
import { studioFiles } from '../studio/reference.ts';
import { cliPage } from './cli.ts';
import { configurationPage } from './configuration.ts';
import { errorsPage } from './errors.ts';
import { eventsPage } from './events.ts';
import { httpPage, readOpenApi } from './http.ts';
import { leasesPage } from './leases.ts';
import { optionsPage } from './options.ts';
import { retriesPage } from './retries.ts';
import { schemasPage } from './schemas.ts';
import { typescriptPage } from './typescript.ts';

const folder = 'docs/reference';

export async function referenceFiles(): Promise<ReadonlyMap<string, string>> {
  const { resolved } = await compose({ env: {} });
  const settings = resolved.map(({ setting }) => setting);
  const document = await readOpenApi();
  return new Map([
    [`${folder}/http.md`, httpPage(document)],
    [`${folder}/schemas.md`, schemasPage(document)],
    [`${folder}/cli.md`, await cliPage()],
    [`${folder}/configuration.md`, configurationPage(settings)],
    [`${folder}/errors.md`, errorsPage()],
    [`${folder}/events.md`, eventsPage()],
    [`${folder}/metrics.md`, metricsPage()],
    [`${folder}/leases.md`, leasesPage()],
    [`${folder}/options.md`, optionsPage()],
    [`${folder}/retries.md`, retriesPage()],
    [`${folder}/typescript.md`, typescriptPage()],
    ...lifecycleFiles(),
    ...studioFiles(),
  ]);
}
