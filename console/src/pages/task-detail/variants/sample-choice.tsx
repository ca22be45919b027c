import { MenuToggle, Select, SelectList, SelectOption } from '@patternfly/react-core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTaskSamples } from '../../../queries/tasks.ts';
import { failureText } from '../../tasks/reason-text.ts';

/** "All samples" first, then each with its kept variants. */
export function SampleChoice(props: {
  group: string;
  task: string;
  value: string;
  onChange: (sample: string) => void;
  refetchInterval: number | false;
  required?: boolean;
}) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const samples = useTaskSamples(props.group, props.task, props.refetchInterval).data?.results ?? [];
  return (
    <Select
      isOpen={isOpen}
      isScrollable
      selected={props.value}
      onOpenChange={setOpen}
      onSelect={(_event, value) => {
        props.onChange(String(value));
        setOpen(false);
      }}
      toggle={(ref) => (
        <MenuToggle
          ref={ref}
          onClick={() => setOpen(!isOpen)}
          isExpanded={isOpen}
          aria-label={`${t('variants.sample')}: ${props.value || t('variants.all_samples')}`}
        >
          <span translate="no">{props.value || t('variants.all_samples')}</span>
        </MenuToggle>
      )}
    >
      <SelectList aria-label={t('variants.sample')}>
        {!props.required && <SelectOption value="">{t('variants.all_samples')}</SelectOption>}
        {samples.map((sample) => (
          <SelectOption
            key={sample.name}
            value={sample.name}
            description={
              sample.failure
                ? failureText(t, sample.failure)
                : sample.variants_kept === null
                  ? undefined
                  : t('variants.kept_of_sample', { n: sample.variants_kept })
            }
          >
            <span translate="no">{sample.name}</span>
          </SelectOption>
        ))}
      </SelectList>
    </Select>
  );
}
