import { type Static, Type } from 'typebox';
import { OWNER } from './owner.ts';
import { closed, Json, Name, nullable, Time } from './values.ts';

const LINK = {
  name: Name,
  value: Type.Optional(
    Type.Unknown({
      description:
        'Value of the message, which becomes part of the link; if omitted, the page asks for it.',
    }),
  ),
  ttlMs: Type.Optional(
    Type.Integer({
      minimum: 1_000,
      maximum: 366 * 86_400_000,
      description: 'Default: until the job ends, a year at most.',
    }),
  ),
};

export const LinkBody = closed(LINK);

export const OwnLinkBody = closed({ ...OWNER, ...LINK });

export const MessageLinkSchema = closed({
  url: Type.String({ description: 'A person with the link can send the message once.' }),
  expiresAt: Time,
});

export type MessageLinkJson = Static<typeof MessageLinkSchema>;

/** What a link is good for. */
export const LinkedMessageSchema = Type.Object(
  {
    jobId: Type.String(),
    type: Type.String(),
    name: Type.String({ description: 'The id of the message.' }),
    hasValue: Type.Boolean({ description: 'True: the link contains the value.' }),
    schema: nullable(Type.Record(Type.String(), Json)),
    expiresAt: Time,
  },
  { $id: 'LinkedMessage', additionalProperties: false },
);

export const AnswerBody = closed({
  value: Type.Optional(
    Type.Unknown({ description: 'Value of the message; ignored if the link contains one.' }),
  ),
});
