// What the model is calculated from: figures that were measured, by name, with where each was.
import { readFileSync } from 'node:fs';
import type { Cost, Verb } from '../costs/lives.ts';
import { bytesOf, type Costs } from '../costs/run.ts';

/** What a call costs, and each job in it on top. */
export interface PerCall {
  readonly call: number;
  readonly job: number;
}

export interface VerbCost {
  readonly walBytes: PerCall;
  readonly cpuMs: PerCall;
  readonly xids: PerCall;
  readonly logNumbers: PerCall;
}

export type WrittenVerb = Exclude<Verb, 'empty claim'>;

export interface Measured {
  readonly verbs: Readonly<Record<WrittenVerb, VerbCost>>;
  readonly emptyClaimCpuMs: number;
  /** Bytes on the disk of a job that has ended. */
  readonly keptBytes: number;
  /** Bytes of a renewal that the history notes. */
  readonly noteBytes: number;
  readonly vacuum: { readonly walBytes: number; readonly cpuMs: number };
  readonly freezing: { readonly walBytes: number; readonly cpuMs: number };
  /** Rows of `live` that die with a job, its renewals left out. */
  readonly deadRows: number;
  /** CPU of an `api` process for one call, in ms. */
  readonly apiCpuMs: { readonly enqueue: number; readonly claim: number; readonly report: number };
  /** CPU of an `api` process for one event that one stream is sent, in ms. */
  readonly streamCpuMs: number;
}

const MANY = 100;

/** Through what was measured with one job in a call and with a hundred. */
export function lineThrough(one: number, many: number): PerCall {
  const call = Math.max(0, (one - many) / (1 - 1 / MANY));
  return { call, job: one - call };
}

/** Of one job, where so many share a call. */
export function eachOf({ call, job }: PerCall, batch: number): number {
  return job + call / batch;
}

function costOf(costs: readonly Cost[], verb: Verb, batch: number): Cost {
  const found = costs.find((cost) => cost.verb === verb && cost.batch === batch);
  if (found === undefined) throw new Error(`no cost of ${verb} by ${batch} was measured`);
  return found;
}

function cpuOf({ serverCpuMs }: Pick<Cost, 'serverCpuMs'>): number {
  if (serverCpuMs === null) {
    throw new Error('the costs were measured on another machine, without the CPU of the server');
  }
  return serverCpuMs;
}

function verbCost(costs: readonly Cost[], verb: WrittenVerb): VerbCost {
  const line = (of: (cost: Cost) => number): PerCall =>
    lineThrough(of(costOf(costs, verb, 1)), of(costOf(costs, verb, MANY)));
  return {
    walBytes: line(({ walBytes }) => walBytes),
    cpuMs: line(cpuOf),
    xids: line(({ xids }) => xids),
    logNumbers: line(({ logNumbers }) => logNumbers),
  };
}

/** The cells of a line of a table in Markdown, after its name. */
function lineOf(report: string, heading: string, name: string): number[] {
  const part = report.slice(report.indexOf(heading));
  const line = part.split('\n').find((text) => text.startsWith(`| ${name} |`));
  if (!report.includes(heading) || line === undefined) {
    throw new Error(`"${name}" under "${heading}" was not measured`);
  }
  const cells = line.split('|').slice(2, -1);
  return cells.map((cell) => Number(cell.replaceAll(',', '').trim()));
}

export function measuredFrom(costs: Costs, httpReport: string): Measured {
  const verb = (name: WrittenVerb): VerbCost => verbCost(costs.costs, name);
  const upkeep = (of: Costs['vacuum']) => ({ walBytes: of.walBytes, cpuMs: cpuOf(of) });
  const api = lineOf(httpReport, '### CPU of the process with the engine', 'PostgreSQL, HTTP');
  const [perSecond, , , cores] = lineOf(httpReport, '## 1,000 streams', 'PostgreSQL');
  return {
    verbs: {
      enqueue: verb('enqueue'),
      claim: verb('claim'),
      renewal: verb('renewal'),
      heartbeat: verb('heartbeat'),
      complete: verb('complete'),
      'complete and claim': verb('complete and claim'),
    },
    emptyClaimCpuMs: cpuOf(costOf(costs.costs, 'empty claim', 1)),
    keptBytes: bytesOf(costs.kept),
    noteBytes: costs.noteBytes,
    vacuum: upkeep(costs.vacuum),
    freezing: upkeep(costs.freezing),
    deadRows: costs.deadRows,
    apiCpuMs: { enqueue: api[0]! / 1_000, claim: api[1]! / 1_000, report: api[2]! / 1_000 },
    streamCpuMs: (cores! * 1_000) / perSecond!,
  };
}

export function httpReport(): string {
  return readFileSync(new URL('../results/http.md', import.meta.url), 'utf8');
}
