/** The client's address: as it is logged, and as attempts are counted by it. */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Request } from 'express';

/** Express reads it behind the proxies that SEQPANEL_TRUST_PROXY counts. An IPv4 address mapped to IPv6 is an IPv4 one. */
export const clientAddress = (req: Pick<Request, 'ip'>): string =>
  (req.ip ?? 'unknown').replace(/^::ffff:(?=[\d.]+$)/i, '');

/** For requests that never reach express (upgrades): as its `req.ip` with `trust proxy` set to `proxies`. */
export function upgradeAddress(req: Pick<IncomingMessage, 'headers' | 'socket'>, proxies: number): string {
  const forwarded = [req.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const named = forwarded.map((address) => address.trim()).filter((address) => address !== '');
  // Each proxy appends the address that it was called from.
  const addresses = [req.socket.remoteAddress ?? 'unknown', ...named.reverse()];
  return clientAddress({ ip: addresses[Math.min(proxies, addresses.length - 1)] });
}

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
