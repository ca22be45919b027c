/** Storage use and limits of a group and a user. Project files count for both, outputs for the group. */
import type { Knex } from 'knex';

const GB = 1024 ** 3;

export const gbOfBytes = (bytes: number | null): number | null =>
  bytes === null ? null : Math.round((bytes / GB) * 1000) / 1000;
export const bytesOfGb = (gb: number | null | undefined): number | null =>
  gb === null || gb === undefined ? null : Math.round(gb * GB);

export interface StorageUse {
  /** In bytes. A null limit means unlimited. */
  groupUsed: number;
  groupLimit: number | null;
  userUsed: number;
  userLimit: number | null;
}

/** Counts an unfinished upload with its full size, so that parallel uploads cannot exceed a limit together. */
export async function readStorageUse(db: Knex, groupId: string, userId: string): Promise<StorageUse> {
  const {
    rows: [use],
  } = await db.raw<{ rows: [StorageUse] }>(
    `SELECT
       (SELECT coalesce(sum(f.size), 0) FROM project_file f JOIN project p ON p.id = f.project_id
          WHERE p.group_id = :groupId AND f.deleted IS NULL)
       + (SELECT coalesce(sum(size), 0) FROM upload WHERE group_id = :groupId AND file_id IS NULL)
       + (SELECT coalesce(sum(output_bytes), 0) FROM task
          WHERE group_id = :groupId AND output_bytes > 0 AND results_deleted IS NULL) AS "groupUsed",
       (SELECT allocated_bytes FROM user_group WHERE id = :groupId) AS "groupLimit",
       (SELECT coalesce(sum(size), 0) FROM project_file WHERE owner_id = :userId AND deleted IS NULL)
       + (SELECT coalesce(sum(size), 0) FROM upload WHERE owner_id = :userId AND file_id IS NULL) AS "userUsed",
       (SELECT quota_bytes FROM app_user WHERE id = :userId) AS "userLimit"`,
    { groupId, userId },
  );
  return use;
}

/** Whether `more` bytes fit. */
export function fits(use: StorageUse, more: number): boolean {
  const groupFits = use.groupLimit === null || use.groupUsed + more <= use.groupLimit;
  const userFits = use.userLimit === null || use.userUsed + more <= use.userLimit;
  return groupFits && userFits;
}
