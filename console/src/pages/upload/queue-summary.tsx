import { Progress, ProgressMeasureLocation } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { durationParts, fileSize } from '../../components/format.ts';
import type { UploadItem } from '../../uploads/upload-item.ts';

/** "41 of 96 done, 12.1 of 41.2 GB, 18 min left". */
export function QueueSummary({ items }: { items: UploadItem[] }) {
  const { t } = useTranslation();
  const counted = items.filter(({ status }) => status !== 'canceled');
  const total = counted.reduce((sum, { size }) => sum + size, 0);
  const sent = counted.reduce((sum, item) => sum + item.sent, 0);
  const speed = counted.reduce((sum, item) => sum + item.speed, 0);
  const done = counted.filter(({ status }) => status === 'completed').length;
  const { h, min, s } = durationParts(speed > 0 ? ((total - sent) / speed) * 1000 : 0);
  const left =
    speed <= 0 || sent >= total
      ? ''
      : h > 0
        ? t('upload.left', { time: t('common.duration_hours', { h, min: String(min).padStart(2, '0') }) })
        : t('upload.left', {
            time:
              min > 0
                ? t('common.duration_minutes', { min, s: String(s).padStart(2, '0') })
                : t('common.duration_seconds', { s }),
          });
  const text = t('upload.summary', { done, n: counted.length, sent: fileSize(sent), total: fileSize(total) });
  return (
    <Progress
      title={left ? `${text} · ${left}` : text}
      value={total > 0 ? Math.floor((100 * sent) / total) : 0}
      measureLocation={ProgressMeasureLocation.outside}
      {...(done === counted.length && done > 0 ? { variant: 'success' as const } : {})}
    />
  );
}
