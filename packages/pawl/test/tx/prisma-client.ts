// Prisma's client as it comes from the registry: its WebAssembly query compiler and the driver
// adapter of `pg`. `prisma generate` would download a binary from elsewhere, so this is the class
// that it generates for a schema without models: transactions and raw SQL, all that is used here.
import { PrismaPg } from '@prisma/adapter-pg';
import {
  getPrismaClient,
  type GetPrismaClientConfig,
  type PrismaClientOptions,
} from '@prisma/client/runtime/client';
import type { PrismaTransaction } from '../../src/tx/from-library.ts';

export interface PrismaLike extends Omit<PrismaTransaction, '$connect'> {
  $connect(): Promise<void>;
  $transaction<Answer>(body: (tx: PrismaTransaction) => Promise<Answer>): Promise<Answer>;
  $disconnect(): Promise<void>;
}

// Node has it; the libraries of the compiler have it for browsers alone.
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => unknown };

/** They come without declarations. */
function partOfRuntime(end: string): Promise<unknown> {
  return import(`@prisma/client/runtime/query_compiler_fast_bg.postgresql${end}`);
}

const CONFIG: GetPrismaClientConfig = {
  previewFeatures: [],
  clientVersion: '7.10.0',
  engineVersion: 'none',
  activeProvider: 'postgresql',
  inlineSchema: 'datasource db {\n  provider = "postgresql"\n}\n',
  runtimeDataModel: { models: {}, enums: {}, types: {} },
  parameterizationSchema: { strings: [], graph: 'AAAA' },
  compilerWasm: {
    getRuntime: () => partOfRuntime('.mjs') as never,
    getQueryCompilerWasmModule: async () => {
      const { wasm } = (await partOfRuntime('.wasm-base64.mjs')) as { wasm: string };
      return new WebAssembly.Module(Buffer.from(wasm, 'base64'));
    },
    importName: './query_compiler_fast_bg.js',
  },
};

export function openPrisma(url: string): PrismaLike {
  const options: PrismaClientOptions = { adapter: new PrismaPg({ connectionString: url }) };
  const Client = getPrismaClient(CONFIG) as unknown as new (
    options: PrismaClientOptions,
  ) => PrismaLike;
  return new Client(options);
}
