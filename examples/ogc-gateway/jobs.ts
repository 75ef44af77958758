// A job of your own that is also a process of OGC API – Processes: `expose` is all it takes.
import { defineJob, fromTypebox } from 'pawl';
import { Type } from 'typebox';

const Box = Type.Array(Type.Number(), { minItems: 4, maxItems: 4 });

/** The area of a box in degrees, west south east north. */
export const boxArea = defineJob('box-area', {
  expose: { title: 'Area of a box', description: 'In square degrees.', version: '1.0.0' },
  input: fromTypebox(Type.Object({ bbox: Box })),
  result: fromTypebox(Type.Object({ area: Type.Number(), width: Type.Number() })),
  run: ({ input }) => {
    const [west = 0, south = 0, east = 0, north = 0] = input.bbox;
    return { area: (east - west) * (north - south), width: east - west };
  },
});
