import { Button, Checkbox, FormSelect, FormSelectOption, TextInput } from '@patternfly/react-core';
import { Td, Th, Tr } from '@patternfly/react-table';
import type { LaunchProblem } from '@seqpanel/crds/launch-rules.ts';
import { useTranslation } from 'react-i18next';
import { problemText } from '../../api/problem-text.ts';
import { LongName } from '../../components/long-name.tsx';
import { type DraftSample, QC_TYPES, ROLES } from './draft.ts';
import { PairEditor } from './pair-editor.tsx';

interface SampleRowProps {
  sample: DraftSample;
  /** Names of the run's panel and parameters file. */
  panel: string;
  preset: string;
  normals: DraftSample[];
  pair: { name: string; normal: string } | undefined;
  problems: LaunchProblem[];
  onChange: (change: Partial<DraftSample>) => void;
  onPair: (normal: string) => void;
  onPairName: (name: string) => void;
  onRemove: () => void;
}

/** One sample of the definition: its fields with the rules they break, and the buttons that skip and remove it. */
export function SampleRow(props: SampleRowProps) {
  const { sample, panel, preset, normals, pair, problems, onChange, onPair, onPairName, onRemove } = props;
  const { t } = useTranslation();
  const about = (label: string) => `${label}: ${sample.name}`;
  return (
    <Tr className={sample.skipped ? 'sp-skipped' : ''}>
      <Th scope="row">
        <Cell problems={problems} field="name">
          <TextInput
            aria-label={about(t('launch.column.name'))}
            value={sample.name}
            isDisabled={sample.skipped}
            onChange={(_event, name) => onChange({ name })}
            validated={problems.some(({ field }) => field === 'name') ? 'error' : 'default'}
          />
        </Cell>
      </Th>
      <Td>
        <Cell problems={problems} field="library_id">
          <TextInput
            aria-label={about(t('launch.column.library'))}
            value={sample.libraryId}
            isDisabled={sample.skipped}
            onChange={(_event, libraryId) => onChange({ libraryId })}
            validated={problems.some(({ field }) => field === 'library_id') ? 'error' : 'default'}
          />
        </Cell>
      </Td>
      <Td>
        <FormSelect
          aria-label={about(t('launch.column.type'))}
          value={sample.qcType}
          isDisabled={sample.skipped}
          onChange={(_event, qcType) => onChange({ qcType: qcType as DraftSample['qcType'] })}
        >
          {QC_TYPES.map((value) => (
            <FormSelectOption key={value} value={value} label={value} />
          ))}
        </FormSelect>
      </Td>
      <Td>
        <FormSelect
          aria-label={about(t('launch.column.role'))}
          value={sample.role}
          isDisabled={sample.skipped}
          onChange={(_event, role) => onChange({ role: role as DraftSample['role'] })}
        >
          {ROLES.map((value) => (
            <FormSelectOption key={value} value={value} label={t(`task_detail.role.${value}`)} />
          ))}
        </FormSelect>
      </Td>
      <Td modifier="nowrap">
        <LongName name={panel} max={24} />
      </Td>
      <Td modifier="nowrap">
        <LongName name={preset} max={24} />
      </Td>
      <Td modifier="nowrap">
        <Cell problems={problems} field="files">
          <details>
            <summary>{t('launch.files', { count: sample.files.length })}</summary>
            <ul translate="no">
              {sample.files.map(({ name }) => (
                <li key={name}>{name}</li>
              ))}
            </ul>
          </details>
        </Cell>
      </Td>
      <Td>
        <Cell problems={problems} field="pair">
          {sample.role === 'tumor' ? (
            <PairEditor sample={sample.name} normals={normals} pair={pair} onPair={onPair} onName={onPairName} />
          ) : (
            '–'
          )}
        </Cell>
      </Td>
      <Td>
        <Checkbox
          id={`cnv-${sample.id}`}
          aria-label={about(t('launch.column.cnv'))}
          isChecked={sample.cnvNormal}
          isDisabled={sample.skipped}
          onChange={(_event, cnvNormal) => onChange({ cnvNormal })}
        />
      </Td>
      <Td>
        <Cell problems={problems} field="tumor_content">
          <TextInput
            aria-label={about(t('launch.column.tumor'))}
            value={sample.tumorContent}
            inputMode="decimal"
            isDisabled={sample.skipped || sample.role !== 'tumor'}
            onChange={(_event, tumorContent) => onChange({ tumorContent })}
            className="sp-short-input"
            validated={problems.some(({ field }) => field === 'tumor_content') ? 'error' : 'default'}
          />
        </Cell>
      </Td>
      <Td>
        <Button
          variant="secondary"
          size="sm"
          onClick={() => onChange({ skipped: !sample.skipped })}
          aria-label={about(sample.skipped ? t('launch.restore') : t('launch.skip'))}
        >
          {sample.skipped ? t('launch.restore') : t('launch.skip')}
        </Button>
      </Td>
      <Td isActionCell>
        <Button variant="link" size="sm" onClick={onRemove} aria-label={about(t('launch.remove'))}>
          {t('launch.remove')}
        </Button>
      </Td>
    </Tr>
  );
}

/** A field with the messages of the rules it breaks. */
function Cell({ problems, field, children }: { problems: LaunchProblem[]; field: string; children: React.ReactNode }) {
  const { t } = useTranslation();
  const own = problems.filter((problem) => problem.field === field);
  return (
    <>
      {children}
      {own.map((problem) => (
        <div key={problem.code} className="sp-cell-error">
          {problemText(t, { ...problem })}
        </div>
      ))}
    </>
  );
}
