/** Lists: the current objects in pages; later pages have the version of the first. */

import type { Obj } from '../objects/metadata.ts';
import type { ResourceType } from '../objects/resources.ts';
import { ApiError, badRequest } from '../objects/status.ts';
import type { Row, Store } from '../objects/store.ts';
import type { Selector } from './selectors.ts';

export interface ListQuery {
  ns: string;
  selector: Selector;
  limit?: number;
  continue?: string;
}

export interface Page {
  rows: Row[];
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

interface Token {
  rv: number;
  ns: string;
  name: string;
}

const encode = (token: Token) => Buffer.from(JSON.stringify(token)).toString('base64url');
function decode(text: string): Token {
  try {
    const token = JSON.parse(Buffer.from(text, 'base64url').toString()) as Token;
    if (typeof token.rv === 'number' && typeof token.name === 'string') return token;
  } catch {
    // reported below
  }
  throw badRequest('continue key is not valid');
}

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** Returns one page; throws 410 when its version is compacted. */
export function listPage(store: Store, type: ResourceType, query: ListQuery): Page {
  let rv = store.rv;
  let after = { ns: '', name: '' };
  if (query.continue) {
    const token = decode(query.continue);
    after = token;
    // A token without a version continues from the current version.
    if (token.rv > 0 && token.rv < store.compacted) {
      throw new ApiError(410, 'Expired', CONTINUE_EXPIRED, undefined, { continue: encode({ ...token, rv: 0 }) });
    }
    if (token.rv > 0) rv = token.rv;
  }
  const rows: Row[] = [];
  const limit = query.limit || Number.POSITIVE_INFINITY;
  const chunk = Number.isFinite(limit) ? limit + 1 : -1;
  let more = false;
  for (let from = after; ; ) {
    const found = store.list(type.id, query.ns, rv, chunk, from);
    for (const row of found) {
      if (query.selector && !query.selector(JSON.parse(row.object) as Obj)) continue;
      if (rows.length === limit) {
        more = true;
        break;
      }
      rows.push(row);
    }
    if (more || chunk < 0 || found.length < chunk) break;
    from = found.at(-1)!;
  }
  const last = rows.at(-1);
  return {
    rows,
    metadata: {
      resourceVersion: String(rv),
      ...(more && last && { continue: encode({ rv, ns: last.ns, name: last.name }) }),
      ...(more && last && !query.selector && { remainingItemCount: store.count(type.id, query.ns, rv, last) }),
    },
  };
}
