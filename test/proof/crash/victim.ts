// `victim.ts <folder> <workflow> <n> <before|after>`: works until its n-th store call, and dies by
// its own kill -9 before or after it. Ends with 0 when there is no such call.
import { countdown } from './countdown.ts';
import { CallLog, openPlant, BEGIN_AT } from './plant.ts';
import { WORKFLOWS } from './workflows.ts';

const [folder = '', name = '', number = '', when = ''] = process.argv.slice(2);
const counted = countdown(Number(number), when);

function mortal<Part extends object>(part: Part): Part {
  return new Proxy(part, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key, target);
      if (member === undefined) return undefined;
      if (typeof member !== 'function') return mortal(member as object);
      return (...args: unknown[]): unknown => counted(() => member.apply(target, args) as unknown);
    },
  });
}

const plant = await openPlant({ folder, startAt: BEGIN_AT + 1_000, wrap: mortal });
await WORKFLOWS[name]!(plant, new CallLog(`${folder}/diary.jsonl`));
process.exit(0);
