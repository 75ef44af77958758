import { type Static, Type } from 'typebox';
import { closed, Label, nullable, Time, Uuid } from './values.ts';

/** An artifact as answers show it: with a link, without the place of its bytes. */
export const ArtifactSchema = Type.Object(
  {
    id: Uuid,
    jobId: nullable(Uuid),
    name: Label,
    size: Type.Integer({ minimum: 0 }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    contentType: Type.String(),
    createdAt: Time,
    expiresAt: nullable(Time),
    url: Type.String({ description: 'Good for anyone who has it, until `urlExpiresAt`.' }),
    urlExpiresAt: Time,
  },
  { $id: 'Artifact', additionalProperties: false },
);

export type ArtifactJson = Static<typeof ArtifactSchema>;

/** Bytes of any type. */
export const Bytes = {
  description: 'The content.',
  content: { 'application/octet-stream': { schema: Type.Unknown({ format: 'binary' }) } },
};

export const ArtifactParams = Type.Object({ id: Uuid });

export const UploadQuery = closed({
  name: Type.Optional(Label),
  id: Type.Optional(Uuid),
});

/** What a sender says of its content, held against what comes. */
export const ContentHeaders = Type.Object({
  'content-digest': Type.Optional(
    Type.String({ maxLength: 1_024, description: 'RFC 9530, with `sha-256=:<base64>:`.' }),
  ),
});
