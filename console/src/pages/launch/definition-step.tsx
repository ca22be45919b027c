import { Button, Flex, FlexItem, ToggleGroup, ToggleGroupItem } from '@patternfly/react-core';
import { Table, Tbody, Th, Thead, Tr } from '@patternfly/react-table';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePanels, usePresets } from '../../queries/launch.ts';
import { withoutSample, withSample } from './draft.ts';
import { samplesOf, suggestedPairs, withPair, withPairName } from './draft-pairs.ts';
import { SampleRow } from './sample-row.tsx';
import type { StepProps } from './step-props.ts';

const COLUMNS = [
  'name',
  'library',
  'type',
  'role',
  'panel',
  'preset',
  'files',
  'pair',
  'cnv',
  'tumor',
  'skipped',
] as const;

/** Step 3: name, type, role, pair and files of each sample (LAUNCH-19 to LAUNCH-34). */
export function DefinitionStep({ group, draft, setDraft, problems }: StepProps) {
  const { t } = useTranslation();
  const [show, setShow] = useState<'all' | 'active'>('all');
  const rows = draft.samples
    .map((sample, index) => ({ sample, index }))
    .filter(({ sample }) => show === 'all' || !sample.skipped);
  const normals = samplesOf(draft, 'normal');
  const suggestions = suggestedPairs(draft);
  const panel = usePanels(group).data?.results.find(({ id }) => id === draft.panel);
  const preset = usePresets(group, panel?.value).data?.results.find(({ id }) => id === draft.preset);
  return (
    <>
      <Flex>
        <FlexItem>
          <ToggleGroup aria-label={t('launch.show')}>
            {(['all', 'active'] as const).map((value) => (
              <ToggleGroupItem
                key={value}
                text={t(`launch.show_${value}`)}
                isSelected={show === value}
                onChange={() => setShow(value)}
              />
            ))}
          </ToggleGroup>
        </FlexItem>
        {suggestions.length > 0 && (
          <FlexItem>
            <Button
              variant="secondary"
              onClick={() =>
                setDraft((now) => suggestions.reduce((next, pair) => withPair(next, pair.tumor, pair.normal), now))
              }
            >
              {t('launch.accept_pairs', { count: suggestions.length })}
            </Button>
          </FlexItem>
        )}
      </Flex>
      <div style={{ overflowX: 'auto' }}>
        <Table variant="compact" aria-label={t('launch.step.edit-definition')} isStickyHeader>
          <Thead>
            <Tr>
              {COLUMNS.map((column) => (
                <Th key={column} modifier="nowrap">
                  {t(`launch.column.${column}`)}
                </Th>
              ))}
              <Th screenReaderText={t('table.actions')} />
            </Tr>
          </Thead>
          <Tbody>
            {rows.map(({ sample, index }) => (
              <SampleRow
                key={sample.id}
                sample={sample}
                panel={panel?.display_name ?? '–'}
                preset={draft.preset === '' ? t('launch.default_preset') : (preset?.name ?? '–')}
                normals={normals}
                pair={draft.pairs.find((pair) => pair.tumor === sample.id)}
                problems={problems.filter(
                  (problem) =>
                    problem.index === index ||
                    (problem.pair !== undefined && problem.sample === sample.name) ||
                    (problem.pair !== undefined &&
                      draft.pairs.some((pair) => pair.name === problem.pair && pair.tumor === sample.id)),
                )}
                onChange={(change) => setDraft((now) => withSample(now, sample.id, change))}
                onPair={(normal) => setDraft((now) => withPair(now, sample.id, normal))}
                onPairName={(name) => setDraft((now) => withPairName(now, sample.id, name))}
                onRemove={() => setDraft((now) => withoutSample(now, sample.id))}
              />
            ))}
          </Tbody>
        </Table>
      </div>
    </>
  );
}
