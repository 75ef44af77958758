import { type Static, Type } from 'typebox';
import { closed, Name, named, nullable, text, Time } from './values.ts';

const STATES = ['ok', 'behind', 'full', 'readOnly', 'failing', 'damaged', 'unreachable'] as const;

export const CellName = text(32, 1);

/** One of the databases of a platform. */
export const CellSchema = named('Cell', {
  name: CellName,
  tenants: Type.Integer({ minimum: 0, description: 'The number of tenants that live there.' }),
  state: Type.Enum([...STATES], {
    description: 'All but `ok`: requests of its tenants are answered with 503, all others are not.',
  }),
  detail: nullable(Type.String()),
});

/** Where a tenant lives. */
export const PlacementSchema = named('Placement', {
  tenant: Name,
  cell: CellName,
  since: Time,
});

export const CellBody = closed({ cell: CellName });

export type CellJson = Static<typeof CellSchema>;
export type PlacementJson = Static<typeof PlacementSchema>;

const STEPS = [
  'copying',
  'expected',
  'copied',
  'departed',
  'taken',
  'arrived',
  'placed',
  'settled',
] as const;

function counted(description: string) {
  return Type.Integer({ minimum: 0, description });
}

/** A move of a tenant, as far as it has come. */
export const TenantMoveSchema = named('TenantMove', {
  tenant: Name,
  cell: CellName,
  state: Type.Enum(['moving', 'moved'], {
    description: '`moving`: ask again, with the same request, until it is `moved`.',
  }),
  step: Type.Enum([...STEPS], {
    description: 'The last one that was done. Up to `departed` the tenant works in its old cell.',
  }),
  copied: counted('Ended jobs that were copied while the tenant worked.'),
  live: counted('Jobs that had not ended, and left with the tenant.'),
  ended: counted('Ended jobs that left with the tenant.'),
  records: counted('What else left with it: schedules, keys, audit, and so on.'),
  pauseMs: nullable(
    Type.Integer({
      minimum: 0,
      description:
        'For so long writes of the tenant waited. Null before that, and of a move that ' +
        'continued where an earlier one had stopped.',
    }),
  ),
});

export type TenantMoveJson = Static<typeof TenantMoveSchema>;
