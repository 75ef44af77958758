// A gateway in a process of its own on a SQLite file:
// `gateway-process.ts <database> <artifacts> <provider url> <first> <last>`. It makes the jobs of
// that range, each once by its key, and prints its standing whenever it has looked. With an empty
// range it only opens and closes.
import { eventually } from '../../support/eventually.ts';
import { CALLER, openInstance } from '../../../packages/ogc/test/provider/instance.ts';

const [database = '', artifacts = '', url = '', first = '0', last = '0'] = process.argv.slice(2);
const settings = { url, poll_interval: 20, timeout: 10, unavailable_wait: 86_400 };
const instance = await openInstance({ database, artifacts, providers: { far: settings } });
const { pawl, gateway } = instance;
if (first === last) {
  await instance.close();
  process.exit();
}

const FOR_EVER = { timeoutMs: Infinity, everyMs: 1_000 };

async function makeJobs(): Promise<void> {
  for (let number = Number(first); number < Number(last); number++) {
    const request = { inputs: { number } };
    // A provider that is dead at this moment describes nothing.
    const look = () => gateway.prepare(CALLER, 'far:echo', request).catch(() => null);
    const { inlineBytesMax: _, ...wish } = await eventually('a description', look, FOR_EVER);
    const named = { ...wish, idempotencyKey: `job ${number}` };
    const [made] = await pawl.engine.enqueue([named], { caller: CALLER });
    if (made!.kind === 'refused') throw made!.error;
    gateway.wake!(wish.type);
  }
}

function memoryMb(): object {
  const { rss, heapTotal, external } = process.memoryUsage();
  const mb = (bytes: number): number => Math.round(bytes / 1024 / 1024);
  return { rssMb: mb(rss), heapMb: mb(heapTotal), buffersMb: mb(external) };
}

/** How many jobs have not ended, and how those ended that have, once all are made and have. */
async function standing(isMade: boolean): Promise<object> {
  const tally = await pawl.engine.tally(null, { max: 1_000_000 });
  const open = tally.reduce((sum, { count }) => sum + count, 0);
  const memory = memoryMb();
  if (!isMade || open > 0) return { open, ...memory };
  const ended: Record<string, number> = {};
  for (let before: string | undefined; ;) {
    const from = before === undefined ? {} : { before };
    const page = await pawl.engine.jobs({ tenant: CALLER.tenant, limit: 500, ...from });
    for (const { state, error } of page.jobs) {
      const end = error?.code ?? state;
      ended[end] = (ended[end] ?? 0) + 1;
    }
    if (!page.hasMore) return { open, ...memory, ended };
    before = page.jobs.at(-1)!.id;
  }
}

let isMade = false;
void makeJobs().then(() => (isMade = true));
process.stdout.write('ready\n');
const tell = async (): Promise<false> => {
  process.stdout.write(`${JSON.stringify(await standing(isMade))}\n`);
  return false;
};
await eventually('the end by a kill', tell, FOR_EVER);
