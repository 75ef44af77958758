import { type Fault, invalid, type JsonSchema } from 'pawl/define';
import type { ProcessMember } from '../model/process-description.ts';
import { DEPLOYED_ID } from './deployed-records.ts';
import { faultOfSchema } from './own-inputs.ts';

type Members = Readonly<Record<string, unknown>>;

/** What carries a deployed process out, as its package names it. */
export type ExecutionUnit =
  | { readonly kind: 'job'; readonly type: string }
  | { readonly kind: 'remote'; readonly href: string };

/** An OGC Application Package, its shape checked. */
export interface AppPackage {
  /** Null: the package does not name the process. */
  readonly id: string | null;
  /** What it says of the process, without id, inputs, outputs and links. */
  readonly summary: Members;
  /** Undefined: as the execution unit has them. */
  readonly inputs?: Readonly<Record<string, ProcessMember>>;
  readonly outputs?: Readonly<Record<string, ProcessMember>>;
  readonly unit: ExecutionUnit;
  /** Which groups of users may see and execute the process; undefined: all users. */
  readonly groups?: readonly string[];
}

const UNIT = '/executionUnit';
const PROCESS = '/processDescription/process';
const TEXTS = ['title', 'description', 'version'] as const;
const LISTS = ['keywords', 'jobControlOptions', 'outputTransmission'] as const;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '');
}

/** Throws VALIDATION_ERROR with every fault. */
export function readAppPackage(body: unknown): AppPackage {
  if (!isMembers(body)) {
    throw invalid([{ pointer: '', message: 'must be an object with `executionUnit`' }]);
  }
  const faults: Fault[] = [];
  const { id, inputs, outputs, links: _, ...summary } = processIn(body, faults);
  if (id !== undefined && !(typeof id === 'string' && DEPLOYED_ID.test(id))) {
    const message = 'must be 1 to 128 letters, digits or . _ -, and begin with a letter or a digit';
    faults.push({ pointer: `${PROCESS}/id`, message });
  }
  faults.push(...summaryFaults(summary));
  const members = {
    ...(inputs === undefined ? {} : { inputs: membersIn(inputs, `${PROCESS}/inputs`, faults) }),
    ...(outputs === undefined ? {} : { outputs: membersIn(outputs, `${PROCESS}/outputs`, faults) }),
  };
  const read = unitIn(body['executionUnit'], faults);
  if (faults.length > 0) throw invalid(faults);
  return { id: (id as string | undefined) ?? null, summary, ...members, ...read! };
}

/** The standard has the description under `process`; some clients leave that level out. */
function processIn({ processDescription: given = {} }: Members, faults: Fault[]): Members {
  const process = isMembers(given) && isMembers(given['process']) ? given['process'] : given;
  if (isMembers(process)) return process;
  faults.push({ pointer: '/processDescription', message: 'must be an object with `process`' });
  return {};
}

function summaryFaults(summary: Members): Fault[] {
  const texts = TEXTS.filter((name) => !['string', 'undefined'].includes(typeof summary[name]));
  const lists = LISTS.filter((name) => summary[name] !== undefined && !isTexts(summary[name]));
  return [
    ...texts.map((name) => ({ pointer: `${PROCESS}/${name}`, message: 'must be a text' })),
    ...lists.map((name) => ({ pointer: `${PROCESS}/${name}`, message: 'must be a list of texts' })),
  ];
}

function membersIn(value: unknown, at: string, faults: Fault[]): Record<string, ProcessMember> {
  if (!isMembers(value)) {
    faults.push({ pointer: at, message: 'must be an object, by the ids of its members' });
    return {};
  }
  for (const [id, member] of Object.entries(value)) {
    const pointer = `${at}/${id}`;
    const schema = isMembers(member) ? member['schema'] : undefined;
    if (!isMembers(schema)) faults.push({ pointer, message: 'must be an object with `schema`' });
    else faults.push(...faultOfSchema(schema, `${pointer}/schema`));
  }
  return value as Record<string, ProcessMember>;
}

/** The standard allows a list of units; here one carries a process out. */
function unitIn(value: unknown, faults: Fault[]): Pick<AppPackage, 'unit' | 'groups'> | null {
  const given: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const { type, job, href, groups } = isMembers(given) ? given : {};
  if (groups !== undefined && !isTexts(groups)) {
    faults.push({ pointer: `${UNIT}/groups`, message: 'must be a list of names of groups' });
  }
  const admitted = isTexts(groups) ? { groups } : {};
  if (typeof href === 'string') return { unit: { kind: 'remote', href }, ...admitted };
  if (type === 'pawl' && typeof job === 'string') {
    return { unit: { kind: 'job', type: job }, ...admitted };
  }
  const forms = '{"type": "pawl", "job": "<type>"} or {"href": "<a process of a provider>"}';
  faults.push({ pointer: UNIT, message: `must be ${forms}: other units cannot be executed here` });
  return null;
}

/** The inputs or outputs of a description as the schema of one object; false for none at all. */
export function schemaOfMembers(
  members: Readonly<Record<string, ProcessMember>>,
): JsonSchema | false {
  const entries = Object.entries(members);
  if (entries.length === 0) return false;
  const required = entries.filter(([, { minOccurs }]) => minOccurs !== 0).map(([id]) => id);
  const properties = entries.map(([id, { title, description, schema, maxOccurs }]) => {
    const isMany = maxOccurs === 'unbounded' || (typeof maxOccurs === 'number' && maxOccurs > 1);
    const one = schema as JsonSchema;
    const shape = isMany ? { anyOf: [one, { type: 'array', items: one }] } : one;
    const texts = { ...(title && { title }), ...(description && { description }) };
    return [id, { ...texts, ...shape }];
  });
  return { type: 'object', properties: Object.fromEntries(properties) as object, required };
}
