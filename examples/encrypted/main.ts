// Payloads that the platform cannot read: the key is in the client and in the worker only.
//   npm run example examples/encrypted/main.ts
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  aesCodec,
  decodeJob,
  encodedSink,
  encodedSource,
  newPayloadKey,
} from '../../src/codec/wrap/encrypted.ts';
import { defineJob, openPawl, systemClock, systemIds, typed } from '../../src/index.ts';

const diagnose = defineJob('diagnose', {
  input: typed<{ patient: string }>(),
  run: ({ input, log }) => {
    log(`looking at ${input.patient}`);
    return { patient: input.patient, finding: 'a cold' };
  },
});

const folder = mkdtempSync(join(tmpdir(), 'pawl-encrypted-'));
const pawl = await openPawl({ database: join(folder, 'pawl.db'), jobs: [diagnose] });
const codec = aesCodec({ keys: [newPayloadKey('2026')] });

const client = encodedSink(pawl.engine, codec, systemIds(systemClock));
pawl.work({ source: encodedSource(pawl.engine, codec) });

const wish = { type: diagnose.type, input: { patient: 'Ada Lovelace' } };
const caller = { tenant: 'default', principal: null };
const [result] = await client.enqueue([wish], { caller });
if (result!.kind === 'refused') throw result!.error;
const stored = await pawl.ended(result!.job);
await pawl.close();

const files = readdirSync(folder).filter((name) => name.startsWith('pawl.db'));
const hasName = files.some((name) => readFileSync(join(folder, name)).includes('Lovelace'));
console.log(`the database ${hasName ? 'knows' : 'does not know'} the patient`);
console.log(`the client reads: ${decodeJob(codec, stored).result}`);
rmSync(folder, { recursive: true });
