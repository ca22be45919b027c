import { useTranslation } from 'react-i18next';

/** Version, and on every page that nothing here is a diagnosis. */
export function Footer() {
  const { t } = useTranslation();
  return (
    <p className="sp-footer-text">
      SeqPanel {__APP_VERSION__} · {t('common.ruo')}
    </p>
  );
}
