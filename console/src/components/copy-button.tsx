import { Button, Tooltip } from '@patternfly/react-core';
import CopyIcon from '@patternfly/react-icons/dist/esm/icons/copy-icon';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

/** Copies a text; `what` names it for readers ("Copy error id"). */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  return (
    <Tooltip content={copied ? t('common.copied') : what} entryDelay={100} onTooltipHidden={() => setCopied(false)}>
      <Button
        variant="plain"
        size="sm"
        aria-label={what}
        icon={<CopyIcon />}
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
      />
    </Tooltip>
  );
}
