import { Type } from 'typebox';
import { Name, text } from './values.ts';

/** No job is claimed more often: stores keep it in 32 bits. */
export const EPOCH_MAX = 2 ** 31 - 1;

/** What every owner verb carries. */
export const OWNER = {
  workerId: Name,
  epoch: Type.Integer({
    minimum: 1,
    maximum: EPOCH_MAX,
    description: 'The epoch of the claim, which is the fencing token.',
  }),
  token: Type.Optional(
    Type.String({
      ...text(64, 1),
      description:
        'Of the claim. Where it is sent it must match, also where an epoch was handed out twice ' +
        'because the database lost its latest commits; a server can require it.',
    }),
  ),
};
