import { Button, Label, Progress, ProgressMeasureLocation, ProgressSize } from '@patternfly/react-core';
import BanIcon from '@patternfly/react-icons/dist/esm/icons/ban-icon';
import PauseIcon from '@patternfly/react-icons/dist/esm/icons/pause-icon';
import PlayIcon from '@patternfly/react-icons/dist/esm/icons/play-icon';
import RedoIcon from '@patternfly/react-icons/dist/esm/icons/redo-icon';
import TimesIcon from '@patternfly/react-icons/dist/esm/icons/times-icon';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { partnerKey, partnerName } from '@seqpanel/crds/file-partners.ts';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/copy-button.tsx';
import { fileSize } from '../../components/format.ts';
import { LongName } from '../../components/long-name.tsx';
import { UploadStatusLabel } from '../../components/status-label.tsx';
import { byName } from '../../hooks/client-rows.ts';
import { useErrorText } from '../../hooks/use-error-text.ts';
import type { ProjectFile } from '../../queries/projects.ts';
import type { UploadItem } from '../../uploads/upload-item.ts';
import { uploads } from '../../uploads/uploads.ts';

/** Shows the queue of one project, with partner files next to each other. `known`: files of the project. */
export function QueueTable({ items, known }: { items: UploadItem[]; known: ProjectFile[] }) {
  const { t } = useTranslation();
  const names = new Set([...items.filter(({ status }) => status !== 'canceled'), ...known].map(({ name }) => name));
  const ordered = items.toSorted((a, b) => byName(partnerKey(a.name), partnerKey(b.name)) || byName(a.name, b.name));
  return (
    <div style={{ overflowX: 'auto' }}>
      <Table aria-label={t('upload.queue')} variant="compact">
        <Thead>
          <Tr>
            <Th>{t('project.name')}</Th>
            <Th>{t('project.type')}</Th>
            <Th className="sp-number">{t('project.size')}</Th>
            <Th width={20}>{t('upload.progress')}</Th>
            <Th>{t('upload.status')}</Th>
            <Th screenReaderText={t('table.actions')} />
          </Tr>
        </Thead>
        <Tbody>
          {ordered.map((item) => (
            <QueueRow
              key={item.id}
              item={item}
              isPartnerMissing={isMissing(item.name, names)}
              sum={item.status === 'completed' ? known.find(({ name }) => name === item.name)?.sha256 : undefined}
            />
          ))}
        </Tbody>
      </Table>
    </div>
  );
}

/** Marks an R2 without its R1 or a BAM index without its BAM. */
function isMissing(name: string, names: ReadonlySet<string>): boolean {
  const partner = partnerName(name);
  return partner !== undefined && partnerKey(name) !== name && !names.has(partner);
}

function QueueRow({
  item,
  isPartnerMissing,
  sum,
}: {
  item: UploadItem;
  isPartnerMissing: boolean;
  sum: string | undefined;
}) {
  const { t } = useTranslation();
  const describe = useErrorText();
  const percent = item.size > 0 ? Math.floor((100 * item.sent) / item.size) : 0;
  const isVerifying = item.status === 'uploading' && item.sent >= item.size;
  return (
    <Tr>
      <Th scope="row" dataLabel={t('project.name')}>
        <LongName name={item.name} />{' '}
        {isPartnerMissing && (
          <Label isCompact color="yellow">
            {t('project.partner_missing')}
          </Label>
        )}
      </Th>
      <Td dataLabel={t('project.type')}>{t(`project.types.${item.type}`)}</Td>
      <Td dataLabel={t('project.size')} className="sp-number" modifier="nowrap">
        {fileSize(item.size)}
      </Td>
      <Td dataLabel={t('upload.progress')}>
        {item.status === 'completed' ? (
          sum && (
            <>
              <span className="sp-mono" title={sum} translate="no">
                SHA-256 {sum.slice(0, 8)}…
              </span>
              <CopyButton text={sum} what={t('project.copy_sum', { file: item.name })} />
            </>
          )
        ) : (
          <>
            <Progress
              value={percent}
              size={ProgressSize.sm}
              measureLocation={ProgressMeasureLocation.outside}
              aria-label={t('upload.progress_of', { file: item.name })}
            />
            {item.status === 'uploading' && item.speed > 0 && !isVerifying && (
              <span className="sp-tabular">{fileSize(Math.round(item.speed))}/s</span>
            )}
          </>
        )}
      </Td>
      <Td dataLabel={t('upload.status')}>
        <UploadStatusLabel status={item.status} {...(isVerifying ? { text: t('upload.verifying') } : {})} />
        {item.status === 'failed' && <div>{describe(item.error).message}</div>}
        {item.needsFile && <div>{t('upload.needs_file')}</div>}
      </Td>
      <Td isActionCell modifier="nowrap">
        <RowActions item={item} />
      </Td>
    </Tr>
  );
}

const ICONS = {
  pause: <PauseIcon />,
  resume: <PlayIcon />,
  retry: <RedoIcon />,
  cancel: <BanIcon />,
  remove: <TimesIcon />,
};

/** Actions of an upload in each status. */
function actionsOf(item: UploadItem): (keyof typeof ICONS)[] {
  switch (item.status) {
    case 'queued':
    case 'uploading':
      return ['pause', 'cancel'];
    case 'paused':
      return item.needsFile ? ['cancel'] : ['resume', 'cancel'];
    case 'failed':
      return ['retry', 'cancel'];
    case 'canceled':
      return ['retry', 'remove'];
    case 'completed':
      return ['remove'];
  }
}

function RowActions({ item }: { item: UploadItem }) {
  const { t } = useTranslation();
  return actionsOf(item).map((action) => (
    <Button
      key={action}
      variant="plain"
      size="sm"
      icon={ICONS[action]}
      aria-label={t(`upload.actions.${action}`, { file: item.name })}
      title={t(`upload.actions.${action}`, { file: item.name })}
      onClick={() => uploads[action](item.id)}
    />
  ));
}
