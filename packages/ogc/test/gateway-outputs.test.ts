// Outputs by reference, had through the gateway: with its credentials and the user's rights.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { jobWhen } from '../../../test/support/job-when.ts';
import { openSimulator } from './provider/simulator.ts';
import { type Answer, openOgcServer, pathOf } from './server-fixture.ts';

const IMAGE = Buffer.from([0x49, 0x49, 0x2a, 0, 8, 0, 0xff, 0xfe]);
const TOKEN = 'of-the-gateway';
const EXECUTE = 'POST /processes/echo/execution';
const EXECUTION = '/processes/far:echo/execution';

const simulator = await openSimulator();
const elsewhere = await openSimulator();
const allowed = await openSimulator();
after(async () => {
  for (const one of [simulator, elsewhere, allowed]) await one.close();
});
const isAllowed = ({ headers }: { headers: Record<string, unknown> }): boolean =>
  headers['authorization'] === `Bearer ${TOKEN}`;
simulator.on('GET /files/image.tif', (seen) =>
  isAllowed(seen)
    ? { status: 200, headers: { 'content-type': 'image/tiff' }, body: IMAGE }
    : { status: 401, body: { title: 'who are you?' } },
);
allowed.on('GET /image.tif', ({ headers }) => ({
  status: headers['authorization'] === undefined ? 200 : 400,
  headers: { 'content-type': 'image/tiff' },
  body: IMAGE,
}));

const folder = mkdtempSync(join(tmpdir(), 'pawl-ogc-outputs-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'providers.json');
const auth = { type: 'bearer', token: TOKEN };
const far = { url: simulator.url, auth, redirect_origins: [allowed.url], poll_interval: 0.05 };
const kept = { ...far, rewrite_remote_links: false };
writeFileSync(path, JSON.stringify({ providers: { far, kept } }));
const server = await openOgcServer({ isLocked: true, env: { PAWL_OGC_PROVIDERS: path } });
const ann = await server.key('acme', { name: 'ann', roles: ['user'] });
const ben = await server.key('acme', { name: 'ben', roles: ['user'] });

const DOCUMENT = {
  image: { href: `${simulator.url}/files/image.tif`, type: 'image/tiff' },
  near: { href: '/files/image.tif' },
  there: { href: `${allowed.url}/image.tif`, type: 'image/tiff' },
  foreign: { href: `${elsewhere.url}/image.tif`, type: 'image/tiff' },
  number: 5,
  bytes: { value: IMAGE.toString('base64'), encoding: 'base64', mediaType: 'image/tiff' },
};

async function executed(reply: object, at = EXECUTION): Promise<Answer> {
  simulator.on(EXECUTE, { status: 200, ...reply });
  const answer = await server.post(at, { inputs: {} }, { ...ann, prefer: 'respond-async' });
  assert.ok(answer.status < 300, answer.text);
  return answer;
}

async function resultsPath({ headers }: Answer): Promise<string> {
  const at = pathOf(server, headers.get('location')!);
  await jobWhen(server.engine, { tenant: 'acme', id: at.split('/').at(-1)! });
  return `${at}/results`;
}

async function bytesAt(at: string, headers = ann): Promise<{ status: number; bytes: Buffer }> {
  const response = await fetch(server.url + at, { headers });
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}

test('references in a document are fetched with the gateway’s credentials, values are given', async () => {
  const at = await resultsPath(await executed({ body: DOCUMENT }));
  for (const id of ['image', 'near', 'there', 'bytes']) {
    const { status, bytes } = await bytesAt(`${at}/${id}`);
    assert.equal(status, 200, `${id}: ${bytes.toString()}`);
    assert.deepEqual(bytes, IMAGE, id);
  }
  const { headers } = await server.get(`${at}/image`, ann);
  assert.equal(headers.get('content-type'), 'image/tiff');
  assert.match(headers.get('content-security-policy') ?? '', /sandbox/);
  assert.equal((await server.get(`${at}/number`, ann)).json, 5);
  assert.equal((await server.get(`${at}/none`, ann)).status, 404);
});

test('the document stays as it is; links tell where its references can be had here', async () => {
  const at = await resultsPath(await executed({ body: DOCUMENT }));
  const { json, headers } = await server.get(at, ann);
  assert.deepEqual(json, DOCUMENT);
  const links = headers.get('link')!.split(', ');
  const here = ['image', 'near', 'there'].map((id) => {
    const type = id === 'near' ? '' : '; type="image/tiff"';
    return `<${server.url}${at}/${id}>; rel="item"${type}; title*=UTF-8''${id}`;
  });
  assert.deepEqual(links, here);
});

test('an output at an origin that is not allowed is not fetched; the answer names it', async () => {
  const at = await resultsPath(await executed({ body: DOCUMENT }));
  const { status, json } = await server.get(`${at}/foreign`, ann);
  assert.equal(status, 502);
  assert.match(json.detail, /which is not an address of the provider far; .*redirect_origins/);
  assert.match(json.detail, new RegExp(elsewhere.url));
  assert.equal(elsewhere.seen.length, 0);
});

test('whoever may not read the job gets no output of it', async () => {
  const at = await resultsPath(await executed({ body: DOCUMENT }));
  const asked = simulator.seen.length;
  assert.equal((await bytesAt(`${at}/image`, ben)).status, 404);
  assert.equal((await bytesAt(`${at}/image`, {})).status, 401);
  assert.equal((await bytesAt(`${at}/image`, await server.key('other'))).status, 404);
  assert.equal(simulator.seen.length, asked);
});

const LINKS =
  `<${simulator.url}/files/image.tif>; rel="item"; type="image/tiff"; title="image", ` +
  `<${elsewhere.url}/other.tif>; rel="item"; title="other"`;

test('links in place of a body lead here, those elsewhere stay', async () => {
  const at = await resultsPath(await executed({ status: 204, headers: { link: LINKS } }));
  const { status, headers } = await server.get(at, ann);
  assert.equal(status, 204);
  const [first, second] = headers.get('link')!.split(', ');
  const title = "title*=UTF-8''image";
  assert.equal(first, `<${server.url}${at}/image>; rel="item"; type="image/tiff"; ${title}`);
  assert.equal(second, LINKS.split(', ')[1]);
  assert.deepEqual((await bytesAt(`${at}/image`)).bytes, IMAGE);
});

test('[O24] with rewrite_remote_links false links stay as they are', async () => {
  const reply = { status: 204, headers: { link: LINKS } };
  const at = await resultsPath(await executed(reply, '/processes/kept:echo/execution'));
  assert.equal((await server.get(at, ann)).headers.get('link'), LINKS);
});

test('an output that the provider does not give is its fault, and says what it answered', async () => {
  const at = await resultsPath(await executed({ body: { gone: { href: '/files/gone.tif' } } }));
  const { status, json } = await server.get(`${at}/gone`, ann);
  assert.equal(status, 502);
  assert.match(json.detail, /the provider far did not give the output: it answered 404/);
});
