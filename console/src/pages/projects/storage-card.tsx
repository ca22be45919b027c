import { Grid, GridItem } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { StorageUse } from '../../components/storage-use.tsx';
import { useGroupStorage } from '../../queries/projects.ts';

/** Shows the storage used by the group and the user. */
export function StorageCard({ group }: { group: string }) {
  const { t } = useTranslation();
  const { data } = useGroupStorage(group);
  if (!data) return null;
  return (
    <Grid hasGutter className="sp-storage-card">
      <GridItem md={6} xl={4}>
        <StorageUse used={data.used} limit={data.limit} title={t('projects.storage_group')} />
      </GridItem>
      <GridItem md={6} xl={4}>
        <StorageUse used={data.user_used} limit={data.user_limit} title={t('projects.storage_mine')} />
      </GridItem>
    </Grid>
  );
}
