// `node scripts/metrics.ts`: writes docs/reference/metrics.md.
import { writeFileSync } from 'node:fs';
import { metricsPage } from './metrics/page.ts';
import { inRepository } from './run/repository.ts';

writeFileSync(inRepository('docs/reference/metrics.md'), metricsPage());
