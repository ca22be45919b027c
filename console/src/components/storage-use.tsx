import { Progress, ProgressMeasureLocation, ProgressSize, ProgressVariant } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { fileSize, gigabytes } from './format.ts';

/** Shares from which the meter turns gold, then red. */
export const STORAGE_WARN = 0.8;
export const STORAGE_FULL = 0.95;

/** Shows used storage and its limit in GB as a bar with text. In bytes; `limit` null means no limit. */
export function StorageUse({ used, limit, title }: { used: number; limit: number | null; title: string }) {
  const { t } = useTranslation();
  const text =
    limit === null
      ? t('common.storage_unlimited', { used: gigabytes(used) })
      : t('common.storage_of', { used: gigabytes(used), limit: gigabytes(limit) });
  if (limit === null) {
    return (
      <div title={fileSize(used)}>
        <div>{title}</div>
        <div className="sp-tabular">{text}</div>
      </div>
    );
  }
  const share = limit > 0 ? used / limit : 1;
  const variant =
    share >= STORAGE_FULL ? ProgressVariant.danger : share >= STORAGE_WARN ? ProgressVariant.warning : undefined;
  return (
    <div title={fileSize(used)}>
      <Progress
        title={title}
        value={Math.min(100, Math.round(share * 100))}
        label={text}
        valueText={text}
        size={ProgressSize.sm}
        measureLocation={ProgressMeasureLocation.top}
        {...(variant ? { variant } : {})}
      />
    </div>
  );
}
