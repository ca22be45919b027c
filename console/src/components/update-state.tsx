import { Label } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';

/** Part of a TanStack mutation that its state needs. */
interface Update {
  isPending: boolean;
  isError: boolean;
  isSuccess: boolean;
}

/** Says beside a form's button whether its values are unchanged, unsaved, being saved, saved or not saved ([ERR-79]). */
export function UpdateState({ update, isDirty }: { update: Update; isDirty: boolean }) {
  const { t } = useTranslation();
  const state = stateOf(update, isDirty);
  return (
    <span role="status" style={{ alignSelf: 'center' }}>
      {state === 'updated' || state === 'failed' ? (
        <Label variant="outline" status={state === 'updated' ? 'success' : 'danger'}>
          {t(`form.update.${state}`)}
        </Label>
      ) : (
        t(`form.update.${state}`)
      )}
    </span>
  );
}

function stateOf(update: Update, isDirty: boolean): 'idle' | 'unsaved' | 'updating' | 'updated' | 'failed' {
  if (update.isPending) return 'updating';
  if (update.isError) return 'failed';
  if (isDirty) return 'unsaved';
  return update.isSuccess ? 'updated' : 'idle';
}
