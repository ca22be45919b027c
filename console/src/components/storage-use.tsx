import { Progress, ProgressMeasureLocation, ProgressSize, ProgressVariant } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { gigabytes } from './format.ts';

/** The meter turns gold, then red, from these shares on. */
export const STORAGE_WARN = 0.8;
export const STORAGE_FULL = 0.95;

/** Used of limit in GB, as a bar with its words. `limit` null = no limit. Bytes. */
export function StorageUse({ used, limit, title }: { used: number; limit: number | null; title: string }) {
  const { t } = useTranslation();
  const text =
    limit === null
      ? t('common.storage_unlimited', { used: gigabytes(used) })
      : t('common.storage_of', { used: gigabytes(used), limit: gigabytes(limit) });
  if (limit === null) {
    return (
      <div>
        <div>{title}</div>
        <div className="sp-tabular">{text}</div>
      </div>
    );
  }
  const share = limit > 0 ? used / limit : 1;
  const variant =
    share >= STORAGE_FULL ? ProgressVariant.danger : share >= STORAGE_WARN ? ProgressVariant.warning : undefined;
  return (
    <Progress
      title={title}
      value={Math.min(100, Math.round(share * 100))}
      label={text}
      valueText={text}
      size={ProgressSize.sm}
      measureLocation={ProgressMeasureLocation.top}
      {...(variant ? { variant } : {})}
    />
  );
}
