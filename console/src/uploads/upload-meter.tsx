import { Progress, ProgressMeasureLocation, ProgressSize } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useUploads } from './use-uploads.ts';

/** Progress of running uploads in the masthead; links to the page of the first one. */
export function UploadMeter() {
  const { t } = useTranslation();
  const { items } = useUploads();
  const counted = items.filter(({ status }) => status !== 'canceled' && status !== 'failed');
  const first = counted.find(({ status }) => status !== 'completed');
  if (!first) return null;
  const total = counted.reduce((sum, { size }) => sum + size, 0);
  const sent = counted.reduce((sum, item) => sum + item.sent, 0);
  const done = counted.filter(({ status }) => status === 'completed').length;
  const isPaused = counted.every(({ status }) => status === 'paused' || status === 'completed');
  const text = isPaused ? t('uploads.meter_paused') : t('uploads.meter', { done, n: counted.length });
  return (
    <Link to={`/tools/projects/${first.project}/upload`} className="sp-upload-meter">
      <Progress
        title={text}
        value={total > 0 ? Math.floor((100 * sent) / total) : 0}
        size={ProgressSize.sm}
        measureLocation={ProgressMeasureLocation.none}
        aria-label={text}
      />
    </Link>
  );
}
