// A process that starts an office program, and can be killed.
import { runOffice } from '../src/office/run-office.ts';

await runOffice(process.argv[2]!, { bytes: Buffer.from('x'), extension: 'odp', to: 'txt:Text' });
