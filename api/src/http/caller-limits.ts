/** Restricts callers to fewer calls than their role allows. Pure. */
import { Forbidden } from '../errors.ts';
import type { OperationId } from '../feature.ts';
import type { Role } from '../openapi/document.ts';
import type { Caller } from './caller.ts';

/** Allowed with a one-time password, in addition to the public calls (verify and refresh). */
const BEFORE_PASSWORD_CHANGE: ReadonlySet<OperationId> = new Set<OperationId>([
  'changePassword',
  'getProfile',
  'logout',
]);

/** Staff calls that the demo makes. */
const STAFF_CALLS_OF_DEMO: ReadonlySet<OperationId> = new Set<OperationId>([
  'createGenome',
  'createGroup',
  'createPanelType',
  'getGenome',
  'getPanelType',
  'listGenomes',
  'listGroups',
  'listPanelTypes',
  'listUsers',
]);
const OWN_ACCOUNT: ReadonlySet<OperationId> = new Set<OperationId>(['changePassword', 'updateProfile']);

/** Throws Forbidden when the caller is restricted from this call. */
export function checkCallerLimits(caller: Caller, operationId: OperationId, role: Role): void {
  if (caller.mustChangePassword && !BEFORE_PASSWORD_CHANGE.has(operationId))
    throw new Forbidden('password_change_required');
  if (!caller.isDemo) return;
  const isStaffCall = role === 'staff' || role === 'staff-or-group-admin';
  if (isStaffCall ? !STAFF_CALLS_OF_DEMO.has(operationId) : OWN_ACCOUNT.has(operationId)) throw new Forbidden();
}
