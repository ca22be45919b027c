import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { addressKey, clientAddress, upgradeAddress } from './client-address.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
])('attempts from %s count as those of %s', (address, key) => {
  expect(addressKey(address)).toBe(key);
});

test('an IPv4-mapped IPv6 address becomes an IPv4 address', () => {
  expect(clientAddress({ ip: '::ffff:192.0.2.7' })).toBe('192.0.2.7');
  expect(clientAddress({ ip: undefined })).toBe('unknown');
});

const from = (forwarded?: string) =>
  ({ socket: { remoteAddress: '10.0.0.9' }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

test.each([
  ['no proxy is trusted: the header is the client’s own claim', '1.1.1.1', 0, '10.0.0.9'],
  ['one proxy', '1.1.1.1', 1, '1.1.1.1'],
  ['one proxy, and a client that claims another address', '6.6.6.6, 1.1.1.1', 1, '1.1.1.1'],
  ['two proxies', '6.6.6.6, 1.1.1.1, 10.0.0.2', 2, '1.1.1.1'],
  ['more proxies than addresses', '1.1.1.1', 3, '1.1.1.1'],
  ['a proxy that sends no header', undefined, 1, '10.0.0.9'],
  ['an empty header', ' , ', 1, '10.0.0.9'],
])('the address of a client that upgrades, behind %s', (_what, forwarded, proxies, address) => {
  expect(upgradeAddress(from(forwarded), proxies)).toBe(address);
});
