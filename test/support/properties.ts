// Property tests draw the same cases in every run, so that a run that was green stays green. With
// PAWL_TEST_SEED=2 they draw others.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['PAWL_TEST_SEED'] ?? 1) });

export { fc };
