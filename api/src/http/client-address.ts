/** The client's address: as it is logged, and as attempts are counted by it. */
import { isIPv6 } from 'node:net';
import type { Request } from 'express';

/** Express reads it behind the proxies that SEQPANEL_TRUST_PROXY counts. An IPv4 address mapped to IPv6 is an IPv4 one. */
export const clientAddress = (req: Pick<Request, 'ip'>): string =>
  (req.ip ?? 'unknown').replace(/^::ffff:(?=[\d.]+$)/i, '');

/** One client holds a whole /64 of IPv6 (RFC 6177), so that its addresses count as one. */
export function addressKey(address: string): string {
  const bare = address.replace(/%.*$/, '');
  if (!isIPv6(bare)) return bare;
  const [head = '', tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array(8 - left.length - right.length).fill('0');
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`;
}
