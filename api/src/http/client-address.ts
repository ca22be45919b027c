/** Returns the client's address for logs and rate limits. */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Request } from 'express';

/** Express reads it behind SEQPANEL_TRUST_PROXY proxies. An IPv4-mapped IPv6 address becomes the IPv4 address. */
export const clientAddress = (req: Pick<Request, 'ip'>): string =>
  (req.ip ?? 'unknown').replace(/^::ffff:(?=[\d.]+$)/i, '');

/** Same as express's `req.ip` with `trust proxy` set to `proxies`, for upgrade requests, which do not reach express. */
export function upgradeAddress(req: Pick<IncomingMessage, 'headers' | 'socket'>, proxies: number): string {
  const forwarded = [req.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const named = forwarded.map((address) => address.trim()).filter((address) => address !== '');
  // Each proxy appends the address of its client.
  const addresses = [req.socket.remoteAddress ?? 'unknown', ...named.reverse()];
  return clientAddress({ ip: addresses[Math.min(proxies, addresses.length - 1)] });
}

/** One client usually has a whole IPv6 /64 (RFC 6177), so its addresses count as one. */
export function addressKey(address: string): string {
  const bare = address.replace(/%.*$/, '');
  if (!isIPv6(bare)) return bare;
  const [head = '', tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array(8 - left.length - right.length).fill('0');
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`;
}
