import { invalid, isInternalType, PawlError } from 'pawl/define';
import { apiActor, type NewAuditEntry } from 'pawl/plugin';
import { EXCEPTION, PACKAGE_TYPE } from '../model/vocabulary.ts';
import { type AppPackage, readAppPackage } from './app-package.ts';
import { describe } from './deployed-processes.ts';
import type { DeployedBody, DeployedProcess, DeployedUnit } from './deployed-records.ts';
import { noSuchProcess, OgcException } from './exception.ts';
import { jsonAnswer } from './negotiate.ts';
import { summaryOf } from './processes.ts';
import { baseOf, type OgcDependencies, type OgcRequest } from './dependencies.ts';

const PROCESSES_MAX = 1_000;
/** How often a change is tried where others change the same process. */
const ROUNDS_MAX = 10;
const TYPES = [PACKAGE_TYPE, 'application/json'];

/** `POST /processes`: a new process, durable and at once to be executed. */
export async function deploy(deps: OgcDependencies, request: OgcRequest): Promise<Response> {
  const { package: given, body } = await readDeployment(deps, request);
  const { id } = given;
  if (id === null) {
    const pointer = '/processDescription/process/id';
    throw invalid([{ pointer, message: 'must be given: it is the id of the process' }]);
  }
  await refuseKnown(deps, request, id);
  const { tenant } = request.caller;
  if ((await deps.deployed.records.list(tenant)).length >= PROCESSES_MAX) {
    const message = `there are ${PROCESSES_MAX} deployed processes already, the most of a tenant`;
    throw new PawlError('QUOTA_EXCEEDED', message);
  }
  const audit = entryOf(deps, request, { id, action: 'process.deployed', body });
  const outcome = await deps.deployed.records.write({ tenant, id, expected: 0, body, audit });
  if (outcome === 'stale') throw duplicated(addressOf(deps, request, id), id);
  const shown = { ...body.summary, id, version: String(body.summary['version']) };
  const summary = summaryOf(shown, {
    base: baseOf(deps, request),
    mutable: true,
  });
  const headers = { location: addressOf(deps, request, id) };
  return jsonAnswer(summary, { status: 201, headers });
}

/** `PUT /processes/{id}`: jobs that have begun go on as they were asked for. */
export async function replace(deps: OgcDependencies, request: OgcRequest): Promise<Response> {
  const { processId: id } = request.params as { processId: string };
  await findDeployed(deps, request, id);
  const { package: given, body } = await readDeployment(deps, request);
  if (given.id !== null && given.id !== id) {
    const message = `must be "${id}", as the address has it: deploy a process of another id`;
    throw invalid([{ pointer: '/processDescription/process/id', message }]);
  }
  await change(deps, request, { id, action: 'process.replaced', body });
  return new Response(null, { status: 204 });
}

/** `DELETE /processes/{id}`: its jobs go on, and are told of as before. */
export async function undeploy(deps: OgcDependencies, request: OgcRequest): Promise<Response> {
  const { processId: id } = request.params as { processId: string };
  await change(deps, request, { id, action: 'process.undeployed', body: null });
  return new Response(null, { status: 204 });
}

/** `GET /processes/{id}/package`: what deployed it. */
export async function readPackage(deps: OgcDependencies, request: OgcRequest): Promise<Response> {
  const { processId: id } = request.params as { processId: string };
  const found = await deps.deployed.records.find({ tenant: request.caller.tenant, id });
  const isShown = found !== null && (await describedBy(deps, request, id)) === 'mutable';
  if (!isShown) throw noSuchProcess(id);
  const headers = { 'content-type': PACKAGE_TYPE };
  return new Response(JSON.stringify(found.package), { headers });
}

interface Change {
  readonly id: string;
  readonly action: string;
  /** Null: the process goes. */
  readonly body: DeployedBody | null;
}

async function change(deps: OgcDependencies, request: OgcRequest, wish: Change): Promise<void> {
  const { id, body } = wish;
  const { tenant } = request.caller;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { revision: expected } = await findDeployed(deps, request, id);
    const audit = entryOf(deps, request, wish);
    const outcome = await deps.deployed.records.write({ tenant, id, expected, body, audit });
    if (outcome === 'written') return;
  }
  const message = `the process ${id} is being changed by others: try again`;
  throw new PawlError('STORE_UNAVAILABLE', message);
}

function entryOf(deps: OgcDependencies, request: OgcRequest, wish: Change): NewAuditEntry {
  const { tenant, principal } = request.caller;
  const { id: subject, action, body } = wish;
  const { unit, groups, summary } = body ?? {};
  const details = body && JSON.stringify({ unit, groups, version: summary?.['version'] });
  return {
    tenant,
    id: deps.engine.ids.next(),
    actor: apiActor(principal),
    action,
    subject,
    details,
  };
}

function addressOf(deps: OgcDependencies, request: OgcRequest, id: string): string {
  return `${baseOf(deps, request)}/processes/${encodeURIComponent(id)}`;
}

/** One that requests can change; what is there otherwise is not theirs to change. */
async function findDeployed(
  deps: OgcDependencies,
  request: OgcRequest,
  id: string,
): Promise<DeployedProcess> {
  const found = await deps.deployed.records.find({ tenant: request.caller.tenant, id });
  if (found !== null) return found;
  if ((await describedBy(deps, request, id)) === null) throw noSuchProcess(id);
  throw immutable(addressOf(deps, request, id), id);
}

/** Whether requests can change the process of an id that the caller sees; null: it sees none. */
async function describedBy(
  { sources }: OgcDependencies,
  { caller }: OgcRequest,
  id: string,
): Promise<'mutable' | 'immutable' | null> {
  for (const source of sources) {
    if ((await source.describe(caller, id)) === null) continue;
    return source.isMutable === true ? 'mutable' : 'immutable';
  }
  return null;
}

async function refuseKnown(deps: OgcDependencies, request: OgcRequest, id: string): Promise<void> {
  const at = addressOf(deps, request, id);
  const { tenant } = request.caller;
  if ((await deps.deployed.records.find({ tenant, id })) !== null) throw duplicated(at, id);
  if ((await describedBy(deps, request, id)) !== null) throw immutable(at, id);
}

function duplicated(location: string, id: string): OgcException {
  const detail = `there is a process "${id}" already: replace it with PUT, or take another id`;
  const title = 'duplicated process';
  const body = { type: EXCEPTION.duplicatedProcess, title, status: 409, detail };
  return new OgcException(body, { location });
}

function immutable(location: string, id: string): OgcException {
  const detail =
    `the process "${id}" was not deployed by a request, so that no request changes it: ` +
    'deploy one of another id';
  const title = 'immutable process';
  const body = { type: EXCEPTION.immutableProcess, title, status: 403, detail };
  return new OgcException(body, { location });
}

function unsupported(detail: string): OgcException {
  const title = 'unsupported media type';
  return new OgcException({ type: EXCEPTION.unsupportedMediaType, title, status: 415, detail });
}

/** What the platform refuses of a package before it is read, in the words of Part 2. */
export function packageRefusal(error: unknown): unknown {
  const isMediaType = error instanceof PawlError && error.code === 'UNSUPPORTED_MEDIA_TYPE';
  return isMediaType ? unsupported(`${error.message}; send ${PACKAGE_TYPE}`) : error;
}

/** The package, and what is stored of it once its unit was found to be there. */
async function readDeployment(
  deps: OgcDependencies,
  request: OgcRequest,
): Promise<{ package: AppPackage; body: DeployedBody }> {
  const [mediaType = ''] = (request.headers.get('content-type') ?? '').toLowerCase().split(';');
  if (!TYPES.includes(mediaType.trim())) {
    throw unsupported(`a process is deployed by ${PACKAGE_TYPE}, not by ${mediaType}`);
  }
  const given = readAppPackage(request.body);
  const { id, summary, inputs, outputs, groups } = given;
  const unit = unitOf(deps, given);
  const members = {
    ...(inputs === undefined ? {} : { inputs }),
    ...(outputs === undefined ? {} : { outputs }),
  };
  const asked = { id: id ?? '', unit, summary, ...members };
  const base = await describe(deps.deployed, request.caller, asked);
  if (base === null) throw withoutUnit(unit);
  // A list is shown without asking a provider: what it says of the process is kept.
  const { inputs: _, outputs: __, id: ___, ...kept } = base;
  const admitted = groups === undefined ? {} : { groups };
  return {
    package: given,
    body: { package: request.body, unit, ...admitted, summary: kept, ...members },
  };
}

function unitOf({ deployed }: OgcDependencies, { unit }: AppPackage): DeployedUnit {
  if (unit.kind === 'job') {
    // Types of the platform, and those behind processes of providers, are nobody's to deploy.
    const isRemote = deployed.gateway?.owns(unit.type, '') === true;
    if (isInternalType(unit.type) || isRemote) throw withoutUnit(unit);
    return unit;
  }
  const processId = deployed.gateway?.processAt?.(unit.href) ?? null;
  if (processId !== null) return { kind: 'remote', processId };
  const message = 'must be the address of a process that a provider of the providers file offers';
  throw invalid([{ pointer: '/executionUnit/href', message }]);
}

function withoutUnit(unit: DeployedUnit): PawlError {
  if (unit.kind === 'job') {
    const message = `must be a registered type of jobs: "${unit.type}" is none`;
    return invalid([{ pointer: '/executionUnit/job', message }]);
  }
  const message = `leads to ${unit.processId}, which its provider does not have`;
  return invalid([{ pointer: '/executionUnit/href', message }]);
}
