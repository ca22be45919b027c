import {
  Card,
  CardBody,
  CardTitle,
  CodeBlock,
  CodeBlockCode,
  DescriptionList,
  ExpandableSection,
  Gallery,
  PageSection,
} from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { fileSize } from '../../components/format.ts';
import { LongName } from '../../components/long-name.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PageSkeleton } from '../../components/page-skeleton.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { useGroup } from '../../hooks/use-group.ts';
import { type TaskInfo, useTaskInfo } from '../../queries/tasks.ts';
import { Fact } from '../task-detail/task-facts.tsx';

/** /secondary-analysis/tasks/{id}/taskinfo: frozen definition of the run (TASK-07, TASK-10). */
export function TaskInfoPage() {
  const { t } = useTranslation();
  const { id = '' } = useParams();
  const group = useGroup();
  const query = useTaskInfo(group.id, id);
  return (
    <>
      <PageHeader
        title={t('task_detail.taskinfo')}
        breadcrumb={[
          { text: t('tasks.title'), to: `/secondary-analysis/tasks${group.param}` },
          { text: query.data?.task.name ?? '…', to: `/secondary-analysis/tasks/${id}${group.param}` },
        ]}
        actions={query.data && <CopyButton text={JSON.stringify(query.data, null, 2)} what={t('taskinfo.copy_all')} />}
      />
      <PageSection hasBodyWrapper={false}>
        {query.error ? <ErrorState error={query.error} onRetry={() => void query.refetch()} /> : null}
        {query.isPending && <PageSkeleton />}
        {query.data && <Info info={query.data} />}
      </PageSection>
    </>
  );
}

function Info({ info }: { info: TaskInfo }) {
  const { t } = useTranslation();
  const { task } = info;
  const sections: [string, [string, React.ReactNode][]][] = [
    [
      'identity',
      [
        ['id', <Copied key="id" text={task.id} />],
        ['name', task.name],
        ['celery_id', task.celery_id ? <Copied key="celery" text={task.celery_id} /> : '–'],
        ['launch_id', task.launch_id ?? '–'],
        ['status', t(`common.task_status.${task.status}`)],
        ['created', <Timestamp key="created" value={task.date} />],
        ['finished', <Timestamp key="finished" value={task.finished} />],
      ],
    ],
    [
      'people',
      [
        ['user', task.user ?? t('tasks.external')],
        ['group', task.group.name],
        ['email', task.email.join(', ') || '–'],
      ],
    ],
    [
      'definition',
      [
        ['panel', `${task.panel.name} (${task.panel.value})`],
        ['preset', `${task.preset.name}${task.preset.version ? `@${task.preset.version}` : ''}`],
        ['pipeline', task.pipeline.name],
        ['genome', task.genome],
        ['project', task.project.name],
        ['source', t(`task_detail.source_of.${task.source}`)],
        ['samples', t('taskinfo.sample_counts', { total: task.samples.total, incomplete: task.samples.incomplete })],
      ],
    ],
    [
      'files',
      [
        ['folder_name', task.folder_name],
        ['output', task.output],
        ['output_copy', task.output_copy ?? '–'],
        ['output_final', task.output_final],
        ['input_files', task.input_files],
      ],
    ],
    [
      'retention',
      [
        ['autodelete', task.autodelete ? t('taskinfo.yes') : t('taskinfo.no')],
        ['autodelete_date', <Timestamp key="autodelete" value={task.autodelete_date} />],
        ['notes', task.notes || '–'],
      ],
    ],
  ];
  return (
    <>
      <Gallery hasGutter minWidths={{ default: '360px' }}>
        {sections.map(([section, facts]) => (
          <Card key={section} isCompact>
            <CardTitle component="h2">{t(`taskinfo.section.${section}` as never)}</CardTitle>
            <CardBody>
              <DescriptionList isCompact isHorizontal>
                {facts.map(([term, value]) => (
                  <Fact key={term} term={t(`taskinfo.field.${term}` as never)}>
                    {value}
                  </Fact>
                ))}
              </DescriptionList>
            </CardBody>
          </Card>
        ))}
      </Gallery>
      <Samples info={info} />
      <InputFiles info={info} />
      {(['preset', 'panel', 'annotation'] as const).map((name) => (
        <Json key={name} title={t(`taskinfo.json.${name}`)} value={info[name]} />
      ))}
      <Json title={t('taskinfo.json.args')} value={task.args} />
      {task.stderr && (
        <ExpandableSection toggleText={t('taskinfo.json.stderr')}>
          <CodeBlock>
            <CodeBlockCode>{task.stderr}</CodeBlockCode>
          </CodeBlock>
        </ExpandableSection>
      )}
    </>
  );
}

function Copied({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <span className="sp-mono">
      {text} <CopyButton text={text} what={t('taskinfo.copy')} />
    </span>
  );
}

function Samples({ info }: { info: TaskInfo }) {
  const { t } = useTranslation();
  const titles = [
    t('task_detail.sample.name'),
    t('task_detail.sample.library'),
    t('task_detail.sample.type'),
    t('taskinfo.tumor_content'),
    t('task_detail.sample.pair'),
    t('task_detail.sample.files'),
  ];
  return (
    <ExpandableSection toggleText={t('taskinfo.samples', { n: info.samples.length })}>
      <Table variant="compact" aria-label={t('task_detail.samples')}>
        <Thead>
          <Tr>
            {titles.map((title) => (
              <Th key={title}>{title}</Th>
            ))}
          </Tr>
        </Thead>
        <Tbody>
          {info.samples.map((sample) => (
            <Tr key={sample.name}>
              <Td>
                <LongName name={sample.name} max={24} />
              </Td>
              <Td>
                <LongName name={sample.library_id} max={24} />
              </Td>
              <Td>{sample.qc_type === 'Sample' ? t(`task_detail.role.${sample.role}`) : sample.qc_type}</Td>
              <Td>{sample.tumor_content === null ? '–' : `${sample.tumor_content} %`}</Td>
              <Td>{sample.pair ?? '–'}</Td>
              <Td className="sp-number">{sample.files.length}</Td>
            </Tr>
          ))}
        </Tbody>
      </Table>
    </ExpandableSection>
  );
}

function InputFiles({ info }: { info: TaskInfo }) {
  const { t } = useTranslation();
  return (
    <ExpandableSection toggleText={t('taskinfo.input_files', { n: info.input_files.length })}>
      <Table variant="compact" aria-label={t('taskinfo.field.input_files')}>
        <Thead>
          <Tr>
            <Th>{t('task_detail.sample.name')}</Th>
            <Th>{t('output.path')}</Th>
            <Th>{t('output.size')}</Th>
            <Th>SHA-256</Th>
          </Tr>
        </Thead>
        <Tbody>
          {info.input_files.map((file) => (
            <Tr key={`${file.sample}/${file.name}`}>
              <Td>
                <LongName name={file.sample} max={24} />
              </Td>
              <Td>
                <LongName name={file.name} max={48} />
              </Td>
              <Td className="sp-number">{file.size === null ? '–' : fileSize(file.size)}</Td>
              <Td className="sp-mono">{file.sha256?.slice(0, 16) ?? '–'}</Td>
            </Tr>
          ))}
        </Tbody>
      </Table>
    </ExpandableSection>
  );
}

function Json({ title, value }: { title: string; value: unknown }) {
  if (value === null || value === undefined) return null;
  return (
    <ExpandableSection toggleText={title}>
      <CodeBlock>
        <CodeBlockCode>{JSON.stringify(value, null, 2)}</CodeBlockCode>
      </CodeBlock>
    </ExpandableSection>
  );
}
