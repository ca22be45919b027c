import { MenuToggle, type MenuToggleElement, Select, SelectList, SelectOption } from '@patternfly/react-core';
import { type Ref, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { changeLanguage } from '../i18n/i18n.ts';
import { isLanguage, LANGUAGE_NAMES, LANGUAGES, type Language } from '../i18n/language.ts';

/** Changes the language immediately. Each language is shown in its own name. */
export function LanguageSwitch({ onChange }: { onChange?: (language: Language) => void }) {
  const { t, i18n } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const current: Language = isLanguage(i18n.language) ? i18n.language : 'en';
  const choose = (language: Language) => {
    setOpen(false);
    void changeLanguage(language).then(() => onChange?.(language));
  };
  return (
    <Select
      isOpen={isOpen}
      onOpenChange={setOpen}
      selected={current}
      onSelect={(_event, value) => choose(value as Language)}
      popperProps={{ position: 'right', appendTo: 'inline' }}
      toggle={(ref: Ref<MenuToggleElement>) => (
        <MenuToggle
          ref={ref}
          variant="plainText"
          onClick={() => setOpen(!isOpen)}
          isExpanded={isOpen}
          aria-label={`${t('common.language')}: ${LANGUAGE_NAMES[current]}`}
        >
          <span lang={current}>{LANGUAGE_NAMES[current]}</span>
        </MenuToggle>
      )}
    >
      <SelectList aria-label={t('common.language')}>
        {LANGUAGES.map((language) => (
          <SelectOption key={language} value={language} isSelected={language === current} lang={language}>
            {LANGUAGE_NAMES[language]}
          </SelectOption>
        ))}
      </SelectList>
    </Select>
  );
}
