import { type Static, Type } from 'typebox';
import { LEVELS } from '../doctor/finding.ts';
import { closed, nullable } from './values.ts';

/** What was looked at, how it stands, and what to do. */
export const FindingSchema = Type.Object(
  {
    check: Type.String(),
    level: Type.Enum([...LEVELS]),
    message: Type.String(),
    action: nullable(Type.String({ description: 'What to do about it.' })),
    about: Type.Optional(
      closed({
        kind: Type.Enum(['queue', 'type'], { description: 'The subject of the finding.' }),
        name: Type.String(),
        isPaused: Type.Optional(Type.Literal(true, { description: 'It waits to be resumed.' })),
      }),
    ),
  },
  { $id: 'Finding', additionalProperties: false },
);

export const DiagnosisSchema = closed({
  level: Type.Enum([...LEVELS], { description: 'The most severe level of the findings.' }),
  findings: Type.Array(FindingSchema),
});

export type DiagnosisJson = Static<typeof DiagnosisSchema>;
