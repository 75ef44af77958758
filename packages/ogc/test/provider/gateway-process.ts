// An instance in a process of its own: `gateway-process.ts <database> <artifacts> <providers>`.
import { openInstance } from './instance.ts';

const [database = '', artifacts = '', providers = '{}'] = process.argv.slice(2);
const parsed = JSON.parse(providers) as Record<string, object>;
await openInstance({ database, artifacts, providers: parsed, isSweeping: false });
process.stdout.write('ready\n');
