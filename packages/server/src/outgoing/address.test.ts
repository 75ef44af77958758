import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isPublic, isWithin, parseAddress, parseRange, unmapped } from './address.ts';

const closed = `
  0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 100.100.100.200
  127.0.0.1 127.255.255.254 168.63.129.16 169.254.169.254 172.16.0.1 172.31.255.255
  192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1
  198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1
  255.255.255.255 :: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:7f00:1
  ::ffff:10.0.0.1 ::ffff:0:169.254.169.254 64:ff9b::10.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1
  2002:7f00:1:: 2002:a00:1::1 2002:a9fe:a9fe::1 2001::1
  2001:0:4136:e378:8000:63bf:80ff:fffe 2001:20::1 2001:db8::1 3fff::1
  2a00:1450::5efe:10.0.0.1 2a00:1450::200:5efe:127.0.0.1 100::1 5f00::1 fc00::1 fd00::1
  fd00:ec2::254 fe80::1 febf::1 fec0::1 ff02::1
`
  .trim()
  .split(/\s+/);

const open = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255
  128.0.0.0 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0
  192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 ::ffff:8.8.8.8
  64:ff9b::8.8.8.8 2002:808:808::1 2001:200::1 2001:4860:4860::8888 2606:4700::1111
  3ffe::1 2a00:1450::5efe:8.8.8.8
`
  .trim()
  .split(/\s+/);

describe('which addresses are public', () => {
  for (const text of closed) {
    test(`[S6] ${text} is not`, () => assert.equal(isPublic(parseAddress(text)!), false));
  }
  for (const text of open) {
    test(`${text} is`, () => assert.equal(isPublic(parseAddress(text)!), true));
  }
});

test('only an address as the system writes it is read; every odd spelling is not one', () => {
  const odd = ['', '1', '0x7f.1', '017700000001', '127.1', '1.2.3.4.5', '256.1.1.1', '01.2.3.4'];
  for (const text of [...odd, '[::1]', 'fe80::1%eth0', '1::2::3', 'localhost', '::1/64']) {
    assert.equal(parseAddress(text), null, text);
  }
});

test('an IPv6 address is read with and without a gap, and with a dotted end', () => {
  const bytes = [0x20, 1, 0x0d, 0xb8, ...Array.from({ length: 10 }, () => 0), 1, 2];
  for (const text of ['2001:db8::102', '2001:db8:0:0:0:0:0:102', '2001:DB8::0.0.1.2']) {
    assert.deepEqual([...parseAddress(text)!], bytes, text);
  }
  assert.deepEqual([...parseAddress('1:2:3:4:5:6:7:8')!].slice(-2), [0, 8]);
  assert.deepEqual([...unmapped(parseAddress('::ffff:1.2.3.4')!)], [1, 2, 3, 4]);
});

test('a range holds what begins with its bits, and nothing of the other family', () => {
  const range = parseRange('172.16.0.0/12')!;
  assert.equal(isWithin(parseAddress('172.31.0.1')!, range), true);
  assert.equal(isWithin(parseAddress('172.32.0.1')!, range), false);
  assert.equal(isWithin(parseAddress('::1')!, range), false);
  assert.equal(isWithin(parseAddress('9.9.9.9')!, parseRange('0.0.0.0/0')!), true);
  assert.equal(parseRange('10.0.0.0/33'), null);
  assert.equal(parseRange('example.org/8'), null);
});
