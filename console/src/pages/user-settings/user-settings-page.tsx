import { PageSection, Tab, Tabs, TabTitleText } from '@patternfly/react-core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { ErrorState } from '../../components/error-state.tsx';
import { LeavePrompt } from '../../components/leave-prompt.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useProfile } from '../../queries/profile.ts';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import { SessionForm } from './session-form.tsx';

const TABS = ['profile', 'password', 'session'] as const;
type TabKey = (typeof TABS)[number];

/** /user-settings: profile, password, session; `?tab=`. */
export function UserSettingsPage() {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const profile = useProfile();
  const [isDirty, setDirty] = useState(false);
  const tab: TabKey = TABS.find((key) => key === params.get('tab')) ?? 'profile';
  const open = (key: TabKey) => {
    setDirty(false);
    setParams(key === 'profile' ? {} : { tab: key });
  };
  return (
    <>
      <PageHeader title={t('user-settings.title')} isDirty={isDirty} />
      <PageSection hasBodyWrapper={false} isFilled>
        {profile.error && <ErrorState error={profile.error} onRetry={() => void profile.refetch()} />}
        {profile.data && (
          <Tabs activeKey={tab} onSelect={(_event, key) => open(key as TabKey)} aria-label={t('user-settings.title')}>
            <Tab eventKey="profile" title={<TabTitleText>{t('user-settings.profile')}</TabTitleText>}>
              {tab === 'profile' && <ProfileForm profile={profile.data} onDirty={setDirty} />}
            </Tab>
            <Tab eventKey="password" title={<TabTitleText>{t('user-settings.password')}</TabTitleText>}>
              {tab === 'password' && <PasswordForm profile={profile.data} onDirty={setDirty} />}
            </Tab>
            <Tab eventKey="session" title={<TabTitleText>{t('user-settings.session')}</TabTitleText>}>
              {tab === 'session' && <SessionForm profile={profile.data} onDirty={setDirty} />}
            </Tab>
          </Tabs>
        )}
      </PageSection>
      <LeavePrompt isDirty={isDirty} />
    </>
  );
}
