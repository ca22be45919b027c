import { useTranslation } from 'react-i18next';

/** Version, and the research-use-only notice on every page ([HELP-12]). */
export function Footer() {
  const { t } = useTranslation();
  return (
    <p className="sp-footer-text">
      SeqPanel {__APP_VERSION__} · {t('common.ruo')}
    </p>
  );
}
