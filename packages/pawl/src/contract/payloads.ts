import { Type } from 'typebox';

/** With payloads a page of jobs may have so many items: each payload may be large. */
export const PAYLOAD_PAGE_MAX = 100;

/** For those who want the whole of a job. */
export const WITH_PAYLOADS = {
  payloads: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Adds `input`, `result` (of a job that succeeded with one), `checkpoint` and `cancel`; a ' +
        `list then takes a \`limit\` of ${PAYLOAD_PAGE_MAX} at most.`,
    }),
  ),
};
