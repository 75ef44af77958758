// `npm run shapes`: records the members and states of version 1, which later ones may only add to.
import { writeFileSync } from 'node:fs';
import { shapesNow } from '../test/spec/shapes.ts';
import { inRepository } from './run/repository.ts';

const path = inRepository('test/fixtures/v1-shapes.json');
writeFileSync(path, `${JSON.stringify(shapesNow(), null, 2)}\n`);
process.stdout.write(`${path}\n`);
