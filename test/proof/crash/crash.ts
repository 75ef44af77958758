// Kills a real process at every store call of a workflow, one after the other.
import { WebhookRecords } from '@pawl/server/internal/webhooks/records';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { judgeAftermath } from './aftermath.ts';
import { BEGIN_AT, openPlant, putTypes, TENANT } from './plant.ts';
import type { WORKFLOWS } from './workflows.ts';

const program = fileURLToPath(new URL('victim.ts', import.meta.url));

export interface CrashReport {
  readonly crashes: number;
  readonly violations: readonly string[];
}

/** A file with the types and a webhook in it, copied for each run. */
export async function template(folder: string): Promise<void> {
  const plant = await openPlant({ folder, startAt: BEGIN_AT });
  await putTypes(plant);
  await new WebhookRecords(plant.store.records).write({
    tenant: TENANT,
    id: '01890000-0000-7000-8000-000000000001',
    expected: 0,
    settings: {
      url: 'https://example.invalid/hook',
      description: null,
      events: ['job_succeeded'],
      types: null,
      isEnabled: true,
      disabledReason: null,
      secrets: [],
      failingSince: null,
      circuit: { failures: 0, openUntil: null },
      createdBy: 'tester',
    },
    audit: [],
  });
  await plant.store.close();
}

async function runVictim(folder: string, args: readonly string[]): Promise<boolean> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [program, folder, ...args], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (signal === 'SIGKILL') return true;
  if (code === 0) return false;
  throw new Error(`the process of "${args.join(' ')}" failed by itself, with ${code ?? signal}`);
}

/** Until a run gets through without having been killed. */
export async function crashEverywhere(
  name: keyof typeof WORKFLOWS,
  options: { every?: number } = {},
): Promise<CrashReport> {
  const base = mkdtempSync(join(tmpdir(), 'pawl-crash-'));
  const violations: string[] = [];
  let crashes = 0;
  try {
    mkdirSync(join(base, 'template'));
    await template(join(base, 'template'));
    for (let n = 1, isKilled = true; isKilled; n += options.every ?? 1) {
      for (const when of ['before', 'after'] as const) {
        const folder = join(base, `${n}-${when}`);
        cpSync(join(base, 'template'), folder, { recursive: true });
        isKilled = await runVictim(folder, [name, String(n), when]);
        crashes += isKilled ? 1 : 0;
        const told = await judgeAftermath(folder);
        violations.push(...told.map((one) => `${name}, killed ${when} call ${n}: ${one}`));
        rmSync(folder, { recursive: true, force: true });
      }
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
  return { crashes, violations };
}
