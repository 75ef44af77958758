// What a handler waits for is typed: children, messages, choices and graphs.
import {
  declareJob,
  defineJob,
  isChildrenFailed,
  isSuspended,
  item,
  type JobHandle,
  type Pawl,
  typed,
} from 'pawl';

interface Region {
  readonly name: string;
}

const region = declareJob('region', {
  input: typed<Region>(),
  result: typed<{ sales: number; at: Date }>(),
});
const tidy = declareJob('tidy', { result: typed<void>() });
const double = declareJob('double', { input: typed<number>(), result: typed<number>() });

export const report = defineJob('report', {
  input: typed<{ regions: Region[] }>(),
  async run({ input, call, callAll, spawn, sleep, receive, first }) {
    const { sales, at } = await call('one', region, { name: 'north' });
    const total: number = sales;
    const text: string = at;
    await call('tidy', tidy);
    await call('tidy-later', tidy, { delay: '1h' });
    // @ts-expect-error a wrong input
    await call('wrong', region, { name: 1 });
    // @ts-expect-error an input for a job without one
    await call('none', tidy, { name: 'x' });

    const parts = await callAll('regions', region, input.regions, { key: ({ name }) => name });
    for await (const part of parts.results()) {
      const ok: true = part.ok;
      const sold: number = part.result.sales;
      void [ok, sold];
    }
    // @ts-expect-error objects are no keys
    await callAll('keyless', region, input.regions);
    const numbers = await callAll('numbers', double, [1, 2], { onFailure: 'collect' });
    for await (const one of numbers.results()) {
      // @ts-expect-error it may have failed
      void one.result;
      if (one.ok) {
        const value: number = one.result;
        void value;
      } else void one.error?.message;
    }
    const collected = await call('maybe', double, 1, { onFailure: 'collect' });
    if (collected.ok) void collected.result.toFixed();

    const child = await spawn('later', double, 1);
    const later: number = await child.result();

    const approval = await receive('approve', typed<{ by: string }>());
    const by: string = approval.by;
    const anything: unknown = await receive('whatever');
    // @ts-expect-error it was not said what it is
    void (await receive('what')).by;

    const answer = await first('answer', {
      said: receive(typed<{ yes: boolean }>()),
      late: sleep('3d'),
      done: call('ask', double, 1),
    });
    if (answer.which === 'said') void answer.value.yes;
    else if (answer.which === 'done') void answer.value.toFixed();
    else {
      const nothing: void = answer.value;
      const late: 'late' = answer.which;
      void [nothing, late];
    }
    // @ts-expect-error there is no such member
    if (answer.which === 'never') return null;
    await sleep('pause', '5m');
    // @ts-expect-error only `first` has a name for it
    await sleep('5m'); // oxlint-disable-line typescript/await-thenable -- nor has the linter
    return { total, text, later, by, anything: typeof anything };
  },
});

export function handled(error: unknown): string {
  if (isSuspended(error)) throw error;
  return isChildrenFailed(error) ? (error.failures[0]?.key ?? '') : 'other';
}

export async function nightly(pawl: Pawl, job: JobHandle): Promise<number> {
  await job.send('approve', { by: 'ann' }, { key: 'once' });
  // @ts-expect-error JSON has no functions
  await job.send('approve', () => 1);
  const { waits } = await job.tree();
  const graph = await pawl.enqueueGraph({
    extract: item(region, { name: 'north' }),
    load: item(double, 1, { after: ['extract', job], onNeedFailed: 'run' }),
    tidy: item(tidy, { after: ['extract', 'load'] }),
  });
  const loaded: number = await graph.load.result();
  // @ts-expect-error there is no such item
  void graph.missing;
  // @ts-expect-error a name that is none
  await pawl.enqueueGraph({ a: item(double, 1), b: item(double, 2, { after: ['c'] }) });
  // @ts-expect-error a wrong input
  item(region, { name: 1 });
  return loaded + waits.length;
}
