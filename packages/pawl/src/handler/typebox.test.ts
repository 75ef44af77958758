import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { fromTypebox } from './typebox.ts';

test('members that are missing, wrong or too many are each named once, by their own path', () => {
  const shape = Type.Object(
    { title: Type.String(), pages: Type.Integer() },
    { additionalProperties: false },
  );
  const { validate } = fromTypebox(shape)['~standard'];
  const { issues } = validate({ pages: 'many', tittle: 'x' }) as {
    issues: readonly { path: readonly string[]; message: string }[];
  };
  const said = issues.map(({ path, message }) => `${path.join('.')} ${message}`).toSorted();
  assert.deepEqual(said, ['pages must be integer', 'title is required', 'tittle is not known']);
});
