import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { StorageUse } from '../components/storage-use.tsx';
import { useGroup } from '../hooks/use-group.ts';
import { useGroupStorage } from '../queries/projects.ts';

/** Shows the used storage of the group and links to the projects. Empty while it is unknown. */
export function StorageMeter() {
  const { t } = useTranslation();
  const { id, param, group } = useGroup();
  const { data } = useGroupStorage(id, group !== undefined);
  if (!data) return null;
  return (
    <Link to={`/tools/projects${param}`} className="sp-storage-meter">
      <StorageUse used={data.used} limit={data.limit} title={t('frame.storage')} />
    </Link>
  );
}
