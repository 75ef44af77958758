// What clients and workers need for payloads that the platform cannot read:
// `import { aesCodec } from 'pawl/codec'`.
export { aesCodec } from '../aes-codec.ts';
export { type KeyRingOptions, newPayloadKey, type PayloadKey } from '../key-ring.ts';
export {
  CodecError,
  type CodecErrorCode,
  type PayloadCodec,
  type PayloadField,
  type PayloadPlace,
} from '../payload-codec.ts';
export { encodedArtifacts } from './artifacts.ts';
export { encodedSink, type JobSink } from './enqueue.ts';
export { type SealedMessage, sealMessage } from './flow-names.ts';
export { decodeDeadLetter, decodeEvent, decodeJob, decodeStage } from './read.ts';
export { encodedSource, type EncodedSourceOptions } from './source.ts';
