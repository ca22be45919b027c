import './tasks.css';
import { useTranslation } from 'react-i18next';
import { count } from '../../components/format.ts';
import { sampleCounts } from '../../queries/sample-counts.ts';
import type { TaskRow } from '../../queries/tasks.ts';

const PARTS = ['done', 'running', 'failed', 'waiting'] as const;

/** Progress bar of a task's samples in its current step, with the step's name and the numbers as text. */
export function SampleProgress({ task }: { task: Pick<TaskRow, 'samples' | 'qc' | 'step'> }) {
  const { t } = useTranslation();
  const counts = sampleCounts(task);
  const { done, running, failed, waiting } = counts;
  const text = t('tasks.progress', { done: count(done), total: count(counts.total) });
  const detail = t('tasks.progress_detail', { done, running, failed, waiting });
  return (
    <span className="sp-sample-progress" title={detail}>
      <span className="sp-sample-progress-bar" aria-hidden>
        {PARTS.filter((part) => counts[part] > 0).map((part) => (
          <span key={part} className={`sp-part-${part}`} style={{ flexGrow: counts[part] }} />
        ))}
      </span>
      {task.step && <span translate="no">{task.step}</span>}
      <span className="pf-v6-screen-reader">{detail}</span>
      <span className="sp-tabular" aria-hidden>
        {text}
        {failed > 0 ? ` · ${t('tasks.progress_failed', { n: count(failed) })}` : ''}
      </span>
    </span>
  );
}
