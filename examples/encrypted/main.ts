// Payloads that the platform cannot read: the key is in this program only.
//   npm run example examples/encrypted/main.ts
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aesCodec, newPayloadKey } from 'pawl/codec';
import { defineJob, openPawl, typed } from 'pawl';

const diagnose = defineJob('diagnose', {
  input: typed<{ patient: string }>(),
  run: ({ input, log }) => {
    log(`looking at ${input.patient}`);
    return { patient: input.patient, finding: 'a cold' };
  },
});

const folder = mkdtempSync(join(tmpdir(), 'pawl-encrypted-'));
const codec = aesCodec({ keys: [newPayloadKey('2026')] });
const pawl = await openPawl({ database: join(folder, 'pawl.db'), jobs: [diagnose], codec });
pawl.work();
const job = await pawl.enqueue(diagnose, { patient: 'Ada Lovelace' });
const { patient, finding } = await job.result();
await pawl.close();

const files = readdirSync(folder).filter((name) => name.startsWith('pawl.db'));
const hasName = files.some((name) => readFileSync(join(folder, name)).includes('Lovelace'));
console.log(`the database ${hasName ? 'knows' : 'does not know'} the patient`);
console.log(`the program reads: ${patient} has ${finding}`);
rmSync(folder, { recursive: true });
