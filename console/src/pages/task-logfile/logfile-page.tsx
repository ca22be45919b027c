import { Button, Flex, FlexItem, PageSection, SearchInput, SelectOption, Switch } from '@patternfly/react-core';
import { LogViewer } from '@patternfly/react-log-viewer';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams, useSearchParams } from 'react-router-dom';
import { ErrorState } from '../../components/error-state.tsx';
import { count } from '../../components/format.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { PageSkeleton } from '../../components/page-skeleton.tsx';
import { SelectMenu } from '../../components/select-menu.tsx';
import { NothingYet } from '../../components/table-states.tsx';
import { useGroup } from '../../hooks/use-group.ts';
import { useLive } from '../../hooks/use-live.ts';
import {
  isUnfinished,
  LOG_TAIL_LINES,
  type LogFile,
  useLogText,
  useTask,
  useTaskEvents,
  useTaskLogs,
} from '../../queries/tasks.ts';
import { saveFile } from '../task-output/save-file.ts';
import { firstErrorLine, startingLog } from './log-choice.ts';

/** Interval at which the open log of a running task is read again. */
const FOLLOW_MS = 2_000;

/** /secondary-analysis/tasks/{id}/logfile: the log of each step; a failed task opens at its first error. */
export function LogfilePage() {
  const { t } = useTranslation();
  const { id = '' } = useParams();
  const group = useGroup();
  const [params, setParams] = useSearchParams();
  const [follow, setFollow] = useState(true);
  const [search, setSearch] = useState('');
  useLive({ onEvent: useTaskEvents(group.id) });
  const task = useTask(group.id, id);
  const logs = useTaskLogs(group.id, id);
  const running = task.data ? isUnfinished(task.data.status) : false;
  const name = startingLog(logs.data?.results ?? [], params, task.data?.failures ?? []);
  const text = useLogText(group.id, id, name, running && follow ? FOLLOW_MS : false);
  const lines = (text.data ?? '').split('\n');
  const shown = search === '' ? lines : lines.filter((line) => line.toLowerCase().includes(search.toLowerCase()));
  const errorLine = task.data?.status === 'failed' || task.data?.failures.length ? firstErrorLine(shown) : undefined;
  return (
    <>
      <PageHeader
        title={t('task_detail.logfile')}
        breadcrumb={[
          { text: t('tasks.title'), to: `/secondary-analysis/tasks${group.param}` },
          { text: task.data?.name ?? '…', to: `/secondary-analysis/tasks/${id}${group.param}` },
        ]}
        actions={
          name && (
            <Button
              variant="secondary"
              onClick={() => void saveFile(`/api/v1/pivat/${group.id}/tasks/${id}/logs/${name}?download=true`, name)}
            >
              {t('logfile.download')}
            </Button>
          )
        }
      />
      <PageSection hasBodyWrapper={false} isFilled>
        {logs.error ? <ErrorState error={logs.error} onRetry={() => void logs.refetch()} /> : null}
        {logs.isPending && <PageSkeleton />}
        {logs.data?.results.length === 0 && (
          <NothingYet title={t('logfile.empty_title')} body={t('logfile.empty_body')} />
        )}
        {logs.data && logs.data.results.length > 0 && (
          <>
            <Flex>
              <FlexItem>
                <LogChoice
                  logs={logs.data.results}
                  value={name}
                  onChange={(next) =>
                    setParams((now) => {
                      const changed = new URLSearchParams(now);
                      changed.delete('sample');
                      changed.set('log', next);
                      return changed;
                    })
                  }
                />
              </FlexItem>
              <FlexItem>
                <SearchInput
                  aria-label={t('logfile.search')}
                  placeholder={t('logfile.search')}
                  value={search}
                  onChange={(_event, value) => setSearch(value)}
                  onClear={() => setSearch('')}
                />
              </FlexItem>
              {running && (
                <FlexItem>
                  <Switch
                    id="follow"
                    label={t('logfile.follow')}
                    isChecked={follow}
                    onChange={(_event, on) => setFollow(on)}
                  />
                </FlexItem>
              )}
            </Flex>
            {text.error ? <ErrorState error={text.error} onRetry={() => void text.refetch()} /> : null}
            <LogViewer
              data={shown}
              height="65vh"
              isTextWrapped
              hasLineNumbers={search === ''}
              theme="light"
              {...(running && follow
                ? { scrollToRow: shown.length }
                : errorLine === undefined
                  ? {}
                  : { scrollToRow: errorLine })}
            />
            {lines.length >= LOG_TAIL_LINES && (
              <p className="sp-second-line">{t('logfile.tail', { n: count(LOG_TAIL_LINES) })}</p>
            )}
          </>
        )}
      </PageSection>
    </>
  );
}

function LogChoice(props: { logs: LogFile[]; value: string | undefined; onChange: (name: string) => void }) {
  const { t } = useTranslation();
  const label = t('logfile.choose');
  return (
    <SelectMenu label={label} value={props.value ?? ''} placeholder={label} onChange={props.onChange}>
      {props.logs.map((log) => (
        <SelectOption
          key={log.name}
          value={log.name}
          description={log.stage ? t(`tasks.stage.${log.stage}` as never) : undefined}
        >
          <span translate="no">
            {log.step}
            {log.sample ? ` · ${log.sample}` : ''}
          </span>
        </SelectOption>
      ))}
    </SelectMenu>
  );
}
