// Lets the n-th store call of a workflow fail, one after the other, in each way in which one can.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PawlError } from 'pawl/internal/core/errors';
import { StoreError } from 'pawl/internal/store/store-error';
import { judgeAftermath } from './aftermath.ts';
import { template } from './crash.ts';
import { BEGIN_AT, CallLog, openPlant } from './plant.ts';
import { WORKFLOWS } from './workflows.ts';

interface Failing {
  readonly error: () => StoreError;
  /** Whether the call was carried out before its answer was lost. */
  readonly isDone: boolean;
}

/** What the stores make of the errors of their databases. */
export const ERROR_CLASSES: Readonly<Record<string, Failing>> = {
  busy: {
    error: () => new StoreError('unchanged', 'database is locked'),
    isDone: false,
  },
  serialization: {
    error: () => new StoreError('unchanged', 'could not serialize access'),
    isDone: false,
  },
  'disk full': {
    error: () => new StoreError('unchanged', 'the disk is full'),
    isDone: false,
  },
  'connection lost before': {
    error: () => new StoreError('unknown', 'the connection to the database failed'),
    isDone: false,
  },
  'connection lost after': {
    error: () => new StoreError('unknown', 'the connection to the database failed'),
    isDone: true,
  },
};

/** Counts calls; the n-th of them fails. */
class Fuse {
  isBlown = false;
  readonly #failing: Failing;
  readonly #failAt: number;
  #calls = 0;

  constructor(failing: Failing, failAt: number) {
    this.#failing = failing;
    this.#failAt = failAt;
  }

  wrap<Part extends object>(part: Part): Part {
    return new Proxy(part, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key, target);
        if (key === 'close') return (member as () => unknown).bind(target);
        if (member === undefined) return undefined;
        if (typeof member !== 'function') return this.wrap(member as object);
        return async (...args: unknown[]): Promise<unknown> => {
          const isHit = ++this.#calls === this.#failAt;
          if (isHit) this.isBlown = true;
          if (isHit && !this.#failing.isDone) throw this.#failing.error();
          const answer: unknown = await member.apply(target, args);
          if (isHit) throw this.#failing.error();
          return answer;
        };
      },
    });
  }
}

/** Works until the error, as a caller that gives up then; answers whether there was one. */
async function workUntilError(folder: string, name: string, fuse: Fuse): Promise<boolean> {
  const wrap = <Part extends object>(part: Part): Part => fuse.wrap(part);
  const plant = await openPlant({ folder, startAt: BEGIN_AT + 1_000, wrap });
  try {
    await WORKFLOWS[name]!(plant, new CallLog(`${folder}/diary.jsonl`));
  } catch (error) {
    if (!(error instanceof StoreError) && !(error instanceof PawlError)) throw error;
  } finally {
    await plant.store.close();
  }
  return fuse.isBlown;
}

export interface ErrorReport {
  readonly errors: number;
  readonly violations: readonly string[];
}

/** Until a run gets through without having met its error. */
export async function failEverywhere(
  name: keyof typeof WORKFLOWS,
  options: { every?: number } = {},
): Promise<ErrorReport> {
  const base = mkdtempSync(join(tmpdir(), 'pawl-errors-'));
  const violations: string[] = [];
  let errors = 0;
  try {
    mkdirSync(join(base, 'template'));
    await template(join(base, 'template'));
    for (const [kind, failing] of Object.entries(ERROR_CLASSES)) {
      for (let n = 1, isMet = true; isMet; n += options.every ?? 1) {
        const folder = join(base, String(n));
        cpSync(join(base, 'template'), folder, { recursive: true });
        isMet = await workUntilError(folder, name, new Fuse(failing, n));
        errors += isMet ? 1 : 0;
        const told = await judgeAftermath(folder);
        violations.push(...told.map((one) => `${name}, ${kind} at call ${n}: ${one}`));
        rmSync(folder, { recursive: true, force: true });
      }
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
  return { errors, violations };
}
