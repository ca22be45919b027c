import { Card, CardBody, CardHeader, CardTitle, Gallery, PageSection } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { PageHeader } from '../../components/page-header.tsx';
import { StorageUse } from '../../components/storage-use.tsx';
import { useGroup } from '../../hooks/use-group.ts';
import { useGroupStorage } from '../../queries/projects.ts';

const TILES = [
  { key: 'upload', to: '/tools/projects' },
  { key: 'launch', to: '/secondary-analysis/launch' },
  { key: 'results', to: '/secondary-analysis/tasks' },
] as const;

/** /dashboard: the quick start, and how much storage is used. */
export function DashboardPage() {
  const { t } = useTranslation();
  const { id, param, group } = useGroup();
  const storage = useGroupStorage(id, group !== undefined);
  return (
    <>
      <PageHeader title={t('dashboard.title')} purpose={t('dashboard.purpose')} />
      <PageSection hasBodyWrapper={false} isFilled>
        <Gallery hasGutter minWidths={{ default: '260px' }}>
          {TILES.map(({ key, to }) => (
            <Card key={key} isFullHeight>
              <CardHeader>
                <CardTitle component="h2">
                  <Link to={`${to}${param}`}>{t(`dashboard.tiles.${key}.title`)}</Link>
                </CardTitle>
              </CardHeader>
              <CardBody>{t(`dashboard.tiles.${key}.body`)}</CardBody>
            </Card>
          ))}
          {storage.data && (
            <Card isFullHeight>
              <CardTitle component="h2">{t('dashboard.storage')}</CardTitle>
              <CardBody>
                <StorageUse
                  used={storage.data.used}
                  limit={storage.data.limit}
                  title={t('dashboard.storage_group', { group: group?.display_name ?? '' })}
                />
                <br />
                <StorageUse
                  used={storage.data.user_used}
                  limit={storage.data.user_limit}
                  title={t('dashboard.storage_mine')}
                />
              </CardBody>
            </Card>
          )}
        </Gallery>
      </PageSection>
    </>
  );
}
