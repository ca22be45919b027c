import { Button } from '@patternfly/react-core';
import { parseFileName } from '@seqpanel/crds/sample-grouping.ts';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { useGroup } from '../../hooks/use-group.ts';
import { beginWithFiles } from './use-draft.ts';

/** Opens the wizard with these files selected; leaves out files that are not sample data. */
export function LaunchWithThese({ project, names }: { project: string; names: readonly string[] }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { id: group, param } = useGroup();
  const usable = names.filter((name) => parseFileName(name) !== undefined);
  return (
    <Button
      variant="secondary"
      isAriaDisabled={usable.length === 0}
      onClick={() => {
        if (usable.length === 0) return;
        beginWithFiles(group, project, usable);
        void navigate(`/secondary-analysis/launch/start-from${param}`);
      }}
    >
      {t('launch.with_these')}
    </Button>
  );
}
