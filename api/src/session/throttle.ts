/** Limits, per client address, public calls that cost a password hash or a call to a login provider. */
import type { Request } from 'express';
import { TooManyRequests } from '../errors.ts';
import { addressKey, clientAddress } from '../http/client-address.ts';
import { createTokenBuckets } from './token-buckets.ts';

/** Addresses remembered per process, about 10 MB. */
const MAX_ADDRESSES = 50_000;
/** A refresh costs no hash, and every open console makes one in 15 minutes. */
const REFRESHES_PER_LOGIN = 10;

export interface Throttle {
  /** Throws TooManyRequests. Used for logins of all kinds and password changes. */
  login(req: Pick<Request, 'ip'>): void;
  /** Throws TooManyRequests. */
  refresh(req: Pick<Request, 'ip'>): void;
}

export function createThrottle(loginsPerMinute: number, now: () => Date): Throttle {
  const limit = (perMinute: number) => {
    const limits = { burst: perMinute, perSecond: perMinute / 60, maxKeys: MAX_ADDRESSES };
    const buckets = createTokenBuckets(limits, now);
    return (req: Pick<Request, 'ip'>): void => {
      const seconds = Math.ceil(buckets.take(addressKey(clientAddress(req))));
      if (seconds > 0) throw new TooManyRequests(seconds);
    };
  };
  return { login: limit(loginsPerMinute), refresh: limit(loginsPerMinute * REFRESHES_PER_LOGIN) };
}
