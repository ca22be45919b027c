import { Button, Modal, ModalBody, ModalFooter, ModalHeader, ModalVariant } from '@patternfly/react-core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tabs } from '../api/client.ts';
import { useSession } from '../hooks/use-session.ts';
import { verifySession } from '../queries/auth.ts';
import { idleState } from '../session/idle.ts';
import { session } from '../session/session.ts';
import { useUploads } from '../uploads/use-uploads.ts';

const EVENTS = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const;
/** Reports activity to the other tabs at most this often. */
const TELL_MS = 5_000;
/** Keeps the server's session alive while the user works without calls, as in IGV (ASVS 5.0 7.3.1). */
const KEEP_MS = 5 * 60_000;
/** Screen readers announce only these seconds: announcing each would drown the page. */
const ANNOUNCED = [60, 30, 10];

/** Logs out an inactive user after a warning of 60 s; activity in any tab counts. */
export function IdleGuard() {
  const { t } = useTranslation();
  const minutes = useSession()?.auto_logout_timeout ?? null;
  const uploads = useUploads();
  const lastActive = useRef(Date.now());
  const lastTold = useRef(0);
  const lastKept = useRef(Date.now());
  const [secondsLeft, setSecondsLeft] = useState<number>();
  const isWarning = useRef(false);

  const stay = useCallback(() => {
    lastActive.current = Date.now();
    isWarning.current = false;
    setSecondsLeft(undefined);
    tabs.reportActivity(lastActive.current);
  }, []);

  useEffect(() => {
    const onActivity = () => {
      // While the warning is open, only its button counts as activity.
      if (isWarning.current) return;
      lastActive.current = Date.now();
      if (lastActive.current - lastKept.current >= KEEP_MS) {
        lastKept.current = lastActive.current;
        void verifySession();
      }
      if (lastActive.current - lastTold.current < TELL_MS) return;
      lastTold.current = lastActive.current;
      tabs.reportActivity(lastActive.current);
    };
    for (const name of EVENTS) window.addEventListener(name, onActivity, { passive: true });
    const stop = tabs.onActivity((at) => {
      lastActive.current = Math.max(lastActive.current, at);
    });
    return () => {
      for (const name of EVENTS) window.removeEventListener(name, onActivity);
      stop();
    };
  }, []);

  useEffect(() => {
    const timer = setInterval(() => {
      const state = idleState(Date.now(), lastActive.current, minutes);
      isWarning.current = state.kind === 'warn';
      setSecondsLeft(state.kind === 'warn' ? state.secondsLeft : undefined);
      if (state.kind === 'over') session.end('idle');
    }, 1_000);
    return () => clearInterval(timer);
  }, [minutes]);

  if (secondsLeft === undefined) return null;
  const running = uploads.items.filter(({ status }) => status === 'uploading' || status === 'queued').length;
  return (
    <Modal
      isOpen
      variant={ModalVariant.small}
      role="alertdialog"
      aria-labelledby="idle-title"
      aria-describedby="idle-body"
      onClose={stay}
    >
      <ModalHeader title={t('frame.idle_title')} titleIconVariant="warning" labelId="idle-title" />
      <ModalBody id="idle-body">
        <p>{t('frame.idle_body', { seconds: secondsLeft })}</p>
        {running > 0 && <p>{t('frame.idle_uploads', { count: running })}</p>}
        <p className="pf-v6-screen-reader" aria-live="assertive">
          {ANNOUNCED.includes(secondsLeft) ? t('frame.idle_body', { seconds: secondsLeft }) : ''}
        </p>
      </ModalBody>
      <ModalFooter>
        <Button variant="primary" autoFocus onClick={stay}>
          {t('frame.idle_stay')}
        </Button>
        <Button variant="link" onClick={() => session.end('logout')}>
          {t('frame.log_out')}
        </Button>
      </ModalFooter>
    </Modal>
  );
}
