import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linksOfHeader, titleOf } from './link-header.ts';

test('a Link header is read link by link, with what is said of each', () => {
  const header =
    '<https://a.example/1,2;3>; rel="item"; type=image/tiff; title="a, \\"b\\"; c", ' +
    "</two>;rel=item;title=plain;title*=UTF-8''Gr%C3%B6%C3%9Fe, <x>";
  const links = linksOfHeader(header);
  assert.deepEqual(
    links.map((link) => [link.href, titleOf(link), link.parameters['rel']]),
    [
      ['https://a.example/1,2;3', 'a, "b"; c', 'item'],
      ['/two', 'Größe', 'item'],
      ['x', null, undefined],
    ],
  );
  assert.equal(links[0]!.parameters['type'], 'image/tiff');
});

test('what is no link is left out, and a title that cannot be read is not used', () => {
  assert.deepEqual(linksOfHeader('https://a.example/1; rel=monitor'), []);
  const [link] = linksOfHeader("</a>; title*=UTF-8''%E0; title=b");
  assert.equal(titleOf(link!), 'b');
});
