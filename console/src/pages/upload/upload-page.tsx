import {
  Alert,
  Button,
  type DropEvent,
  Flex,
  FlexItem,
  MultipleFileUpload,
  MultipleFileUploadMain,
  PageSection,
} from '@patternfly/react-core';
import UploadIcon from '@patternfly/react-icons/dist/esm/icons/upload-icon';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { ErrorState } from '../../components/error-state.tsx';
import { gigabytes } from '../../components/format.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { useGroup } from '../../hooks/use-group.ts';
import { useGroupStorage, useProject, useProjectFiles } from '../../queries/projects.ts';
import { uploads } from '../../uploads/uploads.ts';
import { useUploads } from '../../uploads/use-uploads.ts';
import { LaunchWithThese } from '../launch/launch-with-these.tsx';
import { QueueSummary } from './queue-summary.tsx';
import { QueueTable } from './queue-table.tsx';
import { useChooseFiles } from './use-choose-files.ts';

/** /tools/projects/{id}/upload: select files and follow their upload. */
export function UploadPage() {
  const { t } = useTranslation();
  const { id = '' } = useParams();
  const { id: group, param } = useGroup();
  const project = useProject(group, id);
  const files = useProjectFiles(group, id);
  const storage = useGroupStorage(group);
  const queue = useUploads().items.filter((item) => item.project === id);
  const done = queue.filter(({ status }) => status === 'completed');
  const isDone = done.length > 0 && queue.every(({ status }) => status === 'completed' || status === 'canceled');
  const waiting = queue.filter(({ needsFile }) => needsFile).length;
  const name = project.data?.name ?? '…';
  const { choose, refused } = useChooseFiles({
    target: { group, project: id, projectName: name },
    files: files.data?.results,
    storage: storage.data,
    queue,
  });

  if (project.error) {
    return (
      <PageSection hasBodyWrapper={false} isFilled>
        <ErrorState error={project.error} title={t('project.load_failed')} onRetry={() => void project.refetch()} />
      </PageSection>
    );
  }
  const isReady = project.data !== undefined && files.data !== undefined && storage.data !== undefined;
  return (
    <>
      <PageHeader
        title={t('upload.title')}
        purpose={t('upload.rules', {
          max: storage.data ? gigabytes(storage.data.max_file_bytes) : '2',
          batch: storage.data?.max_files_per_batch ?? 100,
        })}
        breadcrumb={[
          { text: t('projects.title'), to: `/tools/projects${param}` },
          { text: name, to: `/tools/projects/${id}${param}` },
        ]}
      />
      <PageSection hasBodyWrapper={false} isFilled>
        <Flex direction={{ default: 'column' }} gap={{ default: 'gapMd' }}>
          <MultipleFileUpload
            onFileDrop={(_event: DropEvent, chosen: File[]) => choose(chosen)}
            dropzoneProps={{ disabled: !isReady, useFsAccessApi: false }}
          >
            <MultipleFileUploadMain
              titleIcon={<UploadIcon />}
              titleText={t('upload.drop')}
              titleTextSeparator={t('upload.or')}
              browseButtonText={t('upload.choose')}
              infoText={t('upload.accepted')}
            />
          </MultipleFileUpload>
          {waiting > 0 && (
            <Alert isInline component="p" variant="info" title={t('upload.pick_again', { count: waiting })} />
          )}
          {refused.length > 0 && (
            <Alert
              isInline
              component="p"
              variant="danger"
              title={t('upload.refused', { count: refused.length })}
              role="alert"
            >
              <ul>
                {refused.slice(0, 20).map(({ file, text }) => (
                  <li key={file}>
                    <span translate="no">{file}</span>: {text}
                  </li>
                ))}
                {refused.length > 20 && <li>…</li>}
              </ul>
            </Alert>
          )}
          {queue.length > 0 && (
            <>
              <QueueSummary items={queue} />
              <Flex gap={{ default: 'gapSm' }}>
                {(['pause', 'resume', 'retry', 'cancel'] as const).map((action) => (
                  <FlexItem key={action}>
                    <Button variant="secondary" size="sm" onClick={() => uploads.all(action, id)}>
                      {t(`upload.all.${action}`)}
                    </Button>
                  </FlexItem>
                ))}
                {isDone && (
                  <FlexItem>
                    <LaunchWithThese project={id} names={done.map((item) => item.name)} />
                  </FlexItem>
                )}
              </Flex>
              <QueueTable items={queue} known={files.data?.results ?? []} />
            </>
          )}
        </Flex>
      </PageSection>
    </>
  );
}
