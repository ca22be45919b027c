import { expect, test } from '@jest/globals';
import { addressKey, clientAddress } from './client-address.ts';

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

test('an IPv4 address that comes mapped to IPv6 is an IPv4 one', () => {
  expect(clientAddress({ ip: '::ffff:192.0.2.7' })).toBe('192.0.2.7');
  expect(clientAddress({ ip: undefined })).toBe('unknown');
});
