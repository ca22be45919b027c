import './tasks.css';
import { useTranslation } from 'react-i18next';
import { count } from '../../components/format.ts';
import type { TaskRow } from '../../queries/tasks.ts';

/** Progress bar of a task's samples: done, running, failed, waiting; also in words. */
export function SampleProgress({ samples }: { samples: TaskRow['samples'] }) {
  const { t } = useTranslation();
  const { total, done, running, failed } = samples;
  const waiting = Math.max(0, total - done - running - failed);
  const text = t('tasks.progress', { done: count(done), total: count(total) });
  const detail = t('tasks.progress_detail', { done, running, failed, waiting });
  const parts = [
    { key: 'done', n: done },
    { key: 'running', n: running },
    { key: 'failed', n: failed },
    { key: 'waiting', n: waiting },
  ];
  return (
    <span className="sp-sample-progress" title={detail}>
      <span className="sp-sample-progress-bar" aria-hidden>
        {parts
          .filter(({ n }) => n > 0)
          .map(({ key, n }) => (
            <span key={key} className={`sp-part-${key}`} style={{ flexGrow: n }} />
          ))}
      </span>
      <span className="pf-v6-screen-reader">{detail}</span>
      <span className="sp-tabular" aria-hidden>
        {text}
        {failed > 0 ? ` · ${t('tasks.progress_failed', { n: count(failed) })}` : ''}
      </span>
    </span>
  );
}
