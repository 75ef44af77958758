import { type Fault, invalid } from '../../core/errors.ts';
import type { WaitRequest } from '../../core/flow.ts';
import { PAYLOADS, payloadRefusal } from '../../core/payload.ts';
import { checkName } from '../enqueue-request.ts';

/** The most waits of one call, those inside of `first` included. */
const WAITS_MAX = 1_000;

/** Throws for what cannot be waited for. Members of `first` are among them. */
export function checkWaits(all: readonly WaitRequest[]): void {
  const faults: Fault[] = all.flatMap(({ name }) => checkName('/waits', name));
  const names = new Set(all.map(({ name }) => name));
  if (names.size < all.length) {
    faults.push({ pointer: '/waits', message: 'must have different names' });
  }
  if (all.length > WAITS_MAX) {
    faults.push({ pointer: '/waits', message: `must be ${WAITS_MAX} at most` });
  }
  for (const one of all) {
    if (one.kind === 'first' && one.members.length === 0) {
      faults.push({ pointer: '/waits', message: `"${one.name}" must have members` });
    }
    if (one.kind === 'message') faults.push(...checkName('/waits', one.message));
    if (one.kind === 'time' && !(Number.isSafeInteger(one.delayMs) && one.delayMs >= 0)) {
      faults.push({
        pointer: '/waits',
        message: `"${one.name}" must have a time of at least 0 ms`,
      });
    }
  }
  if (faults.length > 0) throw invalid(faults);
}

/** Throws for the schema of a message that cannot be kept. */
export function checkSchemas(requests: readonly WaitRequest[]): void {
  for (const [index, request] of requests.entries()) {
    const at = `/waits/${index}`;
    if (request.kind === 'message') checkSchema(request.schema, `${at}/schema`);
    if (request.kind !== 'first') continue;
    for (const [place, { wait }] of request.members.entries()) {
      if (wait.kind === 'message') checkSchema(wait.schema, `${at}/members/${place}/wait/schema`);
    }
  }
}

function checkSchema(schema: object | undefined, pointer: string): void {
  if (schema === undefined) return;
  const refusal = payloadRefusal(PAYLOADS.messageSchema, JSON.stringify(schema), pointer);
  if (refusal !== null) throw refusal;
}
