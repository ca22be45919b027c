import {
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
  Modal,
  ModalBody,
  ModalHeader,
  ModalVariant,
} from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { useRegisteredShortcuts } from '../hooks/use-shortcuts.ts';

/** Lists the shortcut keys of the open page. */
export function ShortcutsModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const shortcuts = [
    ...useRegisteredShortcuts(),
    { key: 'F6', text: t('frame.key_f6') },
    { key: 'Esc', text: t('frame.key_esc') },
  ];
  return (
    <Modal isOpen variant={ModalVariant.small} onClose={onClose} aria-labelledby="shortcuts-title">
      <ModalHeader title={t('frame.shortcuts')} labelId="shortcuts-title" />
      <ModalBody>
        <DescriptionList isHorizontal isCompact>
          {shortcuts.map(({ key, text }) => (
            <DescriptionListGroup key={key}>
              <DescriptionListTerm>
                <kbd translate="no">{key}</kbd>
              </DescriptionListTerm>
              <DescriptionListDescription>{text}</DescriptionListDescription>
            </DescriptionListGroup>
          ))}
        </DescriptionList>
      </ModalBody>
    </Modal>
  );
}
