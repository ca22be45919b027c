/** Callers to whom less is open than their role allows. Pure. */
import { Forbidden } from '../errors.ts';
import type { OperationId } from '../feature.ts';
import type { Role } from '../openapi/document.ts';
import type { Caller } from './caller.ts';

/** Open with a one-time password, beside the public calls (verify and refresh). */
const BEFORE_PASSWORD_CHANGE: ReadonlySet<OperationId> = new Set<OperationId>([
  'changePassword',
  'getProfile',
  'logout',
]);

/** Of the calls of staff, those that the demo makes. */
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

/** Throws Forbidden when the call is not open to this caller, whatever the role. */
export function checkCallerLimits(caller: Caller, operationId: OperationId, role: Role): void {
  if (caller.mustChangePassword && !BEFORE_PASSWORD_CHANGE.has(operationId))
    throw new Forbidden('password_change_required');
  if (!caller.isDemo) return;
  const isStaffCall = role === 'staff' || role === 'staff-or-group-admin';
  if (isStaffCall ? !STAFF_CALLS_OF_DEMO.has(operationId) : OWN_ACCOUNT.has(operationId)) throw new Forbidden();
}
