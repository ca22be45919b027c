import { FormSelect, FormSelectOption, TextInput } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';

interface PairEditorProps {
  /** The tumor. */
  sample: string;
  normals: { id: string; name: string }[];
  /** `normal` is an id of `normals`. */
  pair: { name: string; normal: string } | undefined;
  onPair: (normal: string) => void;
  onName: (name: string) => void;
}

/** Selects the normal of a tumor and the pair's name. Selecting none removes the pair (LAUNCH-28 to 30). */
export function PairEditor({ sample, normals, pair, onPair, onName }: PairEditorProps) {
  const { t } = useTranslation();
  return (
    <div className="sp-pair">
      <FormSelect
        aria-label={`${t('launch.normal')}: ${sample}`}
        value={pair?.normal ?? ''}
        onChange={(_event, normal) => onPair(normal)}
      >
        <FormSelectOption value="" label={t('launch.unpaired')} />
        {normals.map((normal) => (
          <FormSelectOption key={normal.id} value={normal.id} label={normal.name} />
        ))}
      </FormSelect>
      {pair && (
        <TextInput
          aria-label={`${t('launch.pair_name')}: ${sample}`}
          value={pair.name}
          onChange={(_event, name) => onName(name)}
        />
      )}
    </div>
  );
}
