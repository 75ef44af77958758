import { type Static, Type } from 'typebox';
import { GROUP_LENGTH_MAX, GROUPS_MAX } from './groups.ts';
import { nullable, text } from './values.ts';

const Groups = Type.Array(text(GROUP_LENGTH_MAX, 1), {
  maxItems: GROUPS_MAX,
  uniqueItems: true,
  description: 'Groups whose members may read the job.',
});

export const AccessBody = Type.Object(
  { groups: Groups },
  { $id: 'JobAccessRequest', additionalProperties: false, examples: [{ groups: ['planners'] }] },
);

/** Who may see a job beside those who see the whole tenant. */
export const AccessSchema = Type.Object(
  {
    owner: nullable(Type.String({ description: 'Who asked for the job; null: nobody is named.' })),
    groups: Groups,
  },
  { $id: 'JobAccess', additionalProperties: false },
);

export type JobAccessJson = Static<typeof AccessSchema>;
