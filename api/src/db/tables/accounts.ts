export interface Change {
  field: string;
  from: unknown;
  to: unknown;
}

/** Accounts, groups, sessions, failed logins and the audit log. */

export interface AppUserTable {
  id: string;
  username: string;
  first_name: string;
  last_name: string;
  email: string;
  is_staff: boolean;
  is_superuser: boolean;
  is_ldap: boolean;
  is_active: boolean;
  is_demo: boolean;
  organization: string;
  lang: 'en' | 'zh';
  auto_logout_timeout: number | null;
  autogrouping_rule: string;
  quota_bytes: number | null;
  /** null: the account logs in elsewhere. */
  password_hash: string | null;
  password_changed: Date;
  must_change_password: boolean;
  expires: Date | null;
  sso_issuer: string | null;
  sso_subject: string | null;
  created: Date;
}

export interface UserGroupTable {
  id: string;
  name: string;
  display_name: string;
  active: boolean;
  allocated_bytes: number | null;
  /** Share of the operator's admission of tasks. */
  weight: number;
  created: Date;
}

export interface MembershipTable {
  user_id: string;
  group_id: string;
  is_group_admin: boolean;
  is_default: boolean;
}

export interface SessionTable {
  id: string;
  user_id: string;
  created: Date;
  expires: Date;
  active: Date | null;
  ended: Date | null;
  ended_reason: string | null;
}

export interface RefreshTokenTable {
  hash: Buffer;
  session_id: string;
  created: Date;
  expires: Date;
  used: Date | null;
  successor: Buffer | null;
}

/** Written by earlier releases only. */
export interface LoginFailureTable {
  username: string;
  failures: number;
  locked_until: Date | null;
  last: Date;
}

export interface LoginAttemptTable {
  username: string;
  /** '' counts the failures of all addresses from which the account was not used before. */
  address: string;
  failures: number;
  since: Date;
  last: Date;
}

export interface LoginAddressTable {
  user_id: string;
  address: string;
  last: Date;
}

export interface AuditLogTable {
  id: string;
  created: Date;
  user_id: string | null;
  username: string;
  resource_type: string;
  resource_id: string;
  resource: string;
  action: string;
  changes: Change[];
  request_id: string | null;
  address: string | null;
  outcome: 'success' | 'failure' | null;
}
