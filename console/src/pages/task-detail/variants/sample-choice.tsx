import { SelectOption } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../../components/reason-text.ts';
import { SelectMenu } from '../../../components/select-menu.tsx';
import { useTaskSamples } from '../../../queries/tasks.ts';

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
  const samples = useTaskSamples(props.group, props.task, props.refetchInterval).data?.results ?? [];
  return (
    <SelectMenu
      label={t('variants.sample')}
      value={props.value}
      placeholder={t('variants.all_samples')}
      onChange={props.onChange}
    >
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
    </SelectMenu>
  );
}
