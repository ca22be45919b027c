import {
  Alert,
  AlertActionLink,
  Card,
  CardBody,
  CardTitle,
  Content,
  Gallery,
  List,
  ListItem,
  Stack,
  StackItem,
  Title,
} from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { ErrorAlert } from '../../components/error-state.tsx';
import { count } from '../../components/format.ts';
import { PageSkeleton } from '../../components/page-skeleton.tsx';
import { type TaskSummary, useTaskSummary } from '../../queries/results.ts';
import { isUnfinished } from '../../queries/tasks.ts';
import { useReasonText } from '../tasks/reason-text.ts';
import { sampleCounts } from '../tasks/sample-counts.ts';
import { attentionText } from './attention-text.ts';
import { SampleTable } from './sample-table.tsx';
import { StageStrip } from './stage-strip.tsx';
import type { TabProps } from './tabs.ts';
import { TABS } from './tabs.ts';
import { verdict } from './verdict.ts';

/** First page of a task: verdict, items that need attention, progress. */
export function SummaryTab(props: TabProps) {
  const { t } = useTranslation();
  const reasonText = useReasonText();
  const { task, group, groupParam } = props;
  const summary = useTaskSummary(group, task.id, props.refetchInterval);
  const counts = sampleCounts(task);
  const logfile = `/secondary-analysis/tasks/${task.id}/logfile${groupParam}`;
  return (
    <Stack hasGutter>
      {task.status === 'failed' && (
        <StackItem>
          <Alert
            isInline
            variant="danger"
            title={reasonText(task) ?? t('task_detail.failed')}
            actionLinks={<Link to={logfile}>{t('task_detail.open_log')}</Link>}
          />
        </StackItem>
      )}
      {isUnfinished(task.status) && counts.done + counts.failed > 0 && (
        <StackItem>
          <Alert
            isInline
            variant="info"
            title={t('task_detail.partial', {
              done: counts.done,
              count: counts.total,
              failed: counts.failed,
            })}
          />
        </StackItem>
      )}
      <StackItem>
        {summary.error ? <ErrorAlert error={summary.error} onRetry={() => void summary.refetch()} /> : null}
        {summary.data && (
          <Title headingLevel="h2" size="lg">
            {verdict(t, task, summary.data)}
          </Title>
        )}
      </StackItem>
      <StackItem>
        <StageStrip stages={task.stages} failures={task.failures} />
      </StackItem>
      {summary.isPending && <PageSkeleton />}
      {summary.data && <Attention summary={summary.data} {...props} />}
      {summary.data && summary.data.pairs.length > 0 && <Pairs summary={summary.data} {...props} />}
      <StackItem>
        <SampleTable {...props} />
      </StackItem>
      {summary.data && summary.data.provenance.tools.length > 0 && (
        <StackItem>
          <Provenance summary={summary.data} />
        </StackItem>
      )}
    </Stack>
  );
}

function Attention({ summary, task, groupParam, onTab }: TabProps & { summary: TaskSummary }) {
  const { t } = useTranslation();
  if (summary.attention.length === 0) {
    return isUnfinished(task.status) ? null : (
      <StackItem>
        <Alert isInline isPlain variant="success" title={t('task_detail.nothing_waits')} />
      </StackItem>
    );
  }
  return (
    <StackItem>
      <Title headingLevel="h3" size="md">
        {t('task_detail.attention', { n: summary.attention.length })}
      </Title>
      {summary.attention.map((item) => {
        const tab = TABS.find((key) => key === item.tab);
        return (
          <Alert
            key={`${item.code}-${item.sample ?? ''}-${item.message}`}
            isInline
            isPlain
            variant={item.level}
            title={attentionText(t, item)}
            actionLinks={
              item.code === 'sample_failed' ? (
                <Link
                  to={`/secondary-analysis/tasks/${task.id}/logfile?sample=${encodeURIComponent(item.sample ?? '')}${groupParam.replace('?', '&')}`}
                >
                  {t('task_detail.open_log')}
                </Link>
              ) : (
                tab &&
                tab !== 'summary' && (
                  <AlertActionLink onClick={() => onTab(tab)}>{t(`task_detail.tab.${tab}`)}</AlertActionLink>
                )
              )
            }
          />
        );
      })}
    </StackItem>
  );
}

const NUMBER_COLUMNS: ReadonlySet<string> = new Set(['kept', 'tumor_depth', 'normal_depth', 'concordance']);

function Pairs({ summary, task, groupParam }: TabProps & { summary: TaskSummary }) {
  const { t } = useTranslation();
  const columns = ['name', 'tumor', 'normal', 'kept', 'tumor_depth', 'normal_depth', 'concordance'] as const;
  return (
    <StackItem>
      <Card>
        <CardTitle component="h3">{t('task_detail.pairs')}</CardTitle>
        <CardBody>
          <Table variant="compact" aria-label={t('task_detail.pairs')}>
            <Thead>
              <Tr>
                {columns.map((column) => (
                  <Th key={column} modifier="wrap" {...(NUMBER_COLUMNS.has(column) ? { className: 'sp-number' } : {})}>
                    {t(`task_detail.pair.${column}`)}
                  </Th>
                ))}
              </Tr>
            </Thead>
            <Tbody>
              {summary.pairs.map((pair) => (
                <Tr key={pair.name}>
                  <Th scope="row" translate="no">
                    <Link
                      to={`/secondary-analysis/tasks/${task.id}?tab=variants&sample=${encodeURIComponent(pair.tumor)}${groupParam.replace('?', '&')}`}
                    >
                      {pair.name}
                    </Link>
                  </Th>
                  <Td translate="no">{pair.tumor}</Td>
                  <Td translate="no">{pair.normal}</Td>
                  <Td className="sp-number">{pair.kept ?? '–'}</Td>
                  <Td className="sp-number">{depth(pair.tumor_depth)}</Td>
                  <Td className="sp-number">{depth(pair.normal_depth)}</Td>
                  <Td className="sp-number">
                    {pair.concordance === null || pair.concordance === undefined
                      ? '–'
                      : t('task_detail.concordance', {
                          percent: (pair.concordance * 100).toFixed(1),
                          count: pair.sites ?? 0,
                        })}
                  </Td>
                </Tr>
              ))}
            </Tbody>
          </Table>
        </CardBody>
      </Card>
    </StackItem>
  );
}

const depth = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : `${count(Math.round(value))} ×`;

function Provenance({ summary }: { summary: TaskSummary }) {
  const { t } = useTranslation();
  const tools = [...new Map(summary.provenance.tools.map((tool) => [`${tool.name} ${tool.version}`, tool])).values()];
  return (
    <Card>
      <CardTitle component="h3">{t('task_detail.provenance')}</CardTitle>
      <CardBody>
        <Gallery hasGutter minWidths={{ default: '320px' }}>
          <div>
            <Content component="h4">{t('task_detail.tools')}</Content>
            <List isPlain translate="no">
              {tools.map((tool) => (
                <ListItem key={`${tool.name} ${tool.version}`}>
                  {tool.name} {tool.version}
                </ListItem>
              ))}
            </List>
          </div>
          <div>
            <Content component="h4">{t('task_detail.sources')}</Content>
            <List isPlain translate="no">
              {summary.provenance.sources.map((source) => (
                <ListItem key={source.name}>
                  {source.name} {source.version}
                </ListItem>
              ))}
            </List>
          </div>
        </Gallery>
      </CardBody>
    </Card>
  );
}
