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
