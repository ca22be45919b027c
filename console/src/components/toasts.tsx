import { Alert, AlertActionCloseButton, AlertGroup } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { notifications } from '../hooks/notifications.ts';
import { useNotifications } from '../hooks/use-notify.ts';
import { CopyButton } from './copy-button.tsx';

const SUCCESS_MS = 5_000;

/** Current toasts; errors stay until closed. The drawer lists all of them too. */
export function Toasts() {
  const { t } = useTranslation();
  const shown = useNotifications().filter(({ toast }) => toast);
  return (
    <AlertGroup isToast isLiveRegion aria-label={t('frame.toasts')}>
      {shown.slice(0, 5).map((entry) => {
        const close = () => notifications.change(entry.id, { toast: false });
        return (
          <Alert
            key={entry.id}
            component="p"
            variant={entry.variant}
            title={entry.title}
            {...(entry.variant === 'danger' || entry.variant === 'warning' ? {} : { timeout: SUCCESS_MS })}
            onTimeout={close}
            actionClose={
              <AlertActionCloseButton title={entry.title} onClose={close} aria-label={t('frame.close_toast')} />
            }
            actionLinks={entry.link && <Link to={entry.link.to}>{entry.link.text}</Link>}
          >
            {entry.body}
            {entry.errorId && (
              <div>
                {t('common.error_quote', { id: entry.errorId })}{' '}
                <CopyButton text={entry.errorId} what={t('common.error_copy_id')} />
              </div>
            )}
          </Alert>
        );
      })}
    </AlertGroup>
  );
}
