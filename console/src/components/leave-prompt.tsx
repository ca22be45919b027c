import { Button, Modal, ModalBody, ModalFooter, ModalHeader, ModalVariant } from '@patternfly/react-core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router-dom';

interface LeavePromptProps {
  isDirty: boolean;
  onSave?: () => Promise<boolean>;
  within?: string;
}

/**
 * Asks before a page with unsaved changes is left: Stay, Discard or Save. A change of the query string
 * alone leaves nothing, nor does a page below `within` (a wizard's steps). `onSave` resolves true when everything is saved.
 */
export function LeavePrompt({ isDirty, onSave, within }: LeavePromptProps) {
  const { t } = useTranslation();
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isDirty &&
      currentLocation.pathname !== nextLocation.pathname &&
      !(within && nextLocation.pathname.startsWith(within)),
  );

  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isDirty]);

  if (blocker.state !== 'blocked') return null;
  return (
    <Modal
      isOpen
      variant={ModalVariant.small}
      onClose={() => blocker.reset()}
      aria-labelledby="leave-title"
      aria-describedby="leave-body"
    >
      <ModalHeader title={t('form.leave_title')} titleIconVariant="warning" labelId="leave-title" />
      <ModalBody id="leave-body">{t('form.leave_body')}</ModalBody>
      <ModalFooter>
        <Button variant="primary" onClick={() => blocker.reset()}>
          {t('form.stay')}
        </Button>
        {onSave && (
          <Button
            variant="secondary"
            onClick={() => void onSave().then((saved) => (saved ? blocker.proceed() : blocker.reset()))}
          >
            {t('form.save_and_leave')}
          </Button>
        )}
        <Button variant="link" isDanger onClick={() => blocker.proceed()}>
          {t('form.discard')}
        </Button>
      </ModalFooter>
    </Modal>
  );
}
