import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isPawlError } from 'pawl/plugin';
import type { ProcessDescription } from '../model/process-description.ts';
import { checkRemoteInputs } from './remote-inputs.ts';

const number = { type: 'number', minimum: 0 };
const bbox = { allOf: [{ format: 'ogc-bbox' }, { $ref: 'https://schemas.example/bbox.yaml' }] };

/** A member of the description, what is given, and the places of what is wrong. */
const ROWS: readonly [string, object, object, readonly string[]][] = [
  ['a value that fits', { schema: number }, { a: 1 }, []],
  ['a value that does not', { schema: number }, { a: 'x' }, ['/inputs/a']],
  ['a bound', { schema: number }, { a: -1 }, ['/inputs/a']],
  ['an input that is missing', { schema: number }, {}, ['/inputs/a']],
  ['one that may be left out', { schema: number, minOccurs: 0 }, {}, []],
  ['one with a default', { schema: { ...number, default: 3 } }, {}, []],
  ['a qualified value', { schema: number }, { a: { value: 1, mediaType: 'x/y' } }, []],
  ['a wrong qualified value', { schema: number }, { a: { value: 'x' } }, ['/inputs/a']],
  ['a reference', { schema: number }, { a: { href: 'https://data.example/1' } }, []],
  ['several', { schema: number, maxOccurs: 'unbounded' }, { a: [1, 2] }, []],
  ['one of several', { schema: number, maxOccurs: 3 }, { a: 1 }, []],
  ['a wrong one of several', { schema: number, maxOccurs: 3 }, { a: [1, 'x'] }, ['/inputs/a/1']],
  ['several where one is wanted', { schema: number }, { a: [1, 2] }, ['/inputs/a']],
  ['null where that may be', { schema: { ...number, nullable: true } }, { a: null }, []],
  ['a schema that lies elsewhere', { schema: bbox }, { a: 'anything' }, []],
  ['no schema', {}, { a: 'anything' }, []],
  ['an unknown format', { schema: { type: 'string', format: 'wkt' } }, { a: 'POINT(0 0)' }, []],
  ['an input that is not described', { schema: number }, { a: 1, b: 2 }, []],
];

describe('inputs of a remote process', () => {
  for (const [title, member, given, places] of ROWS) {
    test(title, () => {
      const description = { inputs: { a: member } } as unknown as ProcessDescription;
      let found: readonly string[] = [];
      try {
        checkRemoteInputs(description, given as Record<string, unknown>);
      } catch (error) {
        assert.ok(isPawlError(error));
        found = error.faults.map(({ pointer }) => pointer);
      }
      assert.deepEqual(found, places);
    });
  }
});
