import {
  Button,
  EmptyState,
  EmptyStateVariant,
  NotificationDrawer,
  NotificationDrawerBody,
  NotificationDrawerGroup,
  NotificationDrawerGroupList,
  NotificationDrawerHeader,
  NotificationDrawerList,
  NotificationDrawerListItem,
  NotificationDrawerListItemBody,
  NotificationDrawerListItemHeader,
} from '@patternfly/react-core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { age, utcTime } from '../components/format.ts';
import { type Notification, notifications } from '../hooks/notifications.ts';
import { useNotifications } from '../hooks/use-notify.ts';

const SECTIONS = ['tasks', 'uploads', 'exports', 'system'] as const;

/** Notifications of this tab, by subject. */
export function NotificationsDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const list = useNotifications();
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const unread = list.filter(({ read }) => !read).length;
  const toggle = (section: string) => {
    const next = new Set(closed);
    if (!next.delete(section)) next.add(section);
    setClosed(next);
  };
  return (
    <NotificationDrawer role="complementary" aria-label={t('frame.notifications')}>
      <NotificationDrawerHeader
        count={unread}
        title={t('frame.notifications')}
        unreadText={t('frame.unread')}
        closeButtonAriaLabel={t('frame.close_notifications')}
        onClose={onClose}
      >
        {unread > 0 && (
          <Button variant="link" onClick={() => notifications.markAllRead()}>
            {t('frame.mark_read')}
          </Button>
        )}
      </NotificationDrawerHeader>
      <NotificationDrawerBody>
        {list.length === 0 && (
          <EmptyState variant={EmptyStateVariant.sm} headingLevel="h2" titleText={t('frame.no_notifications')} />
        )}
        <NotificationDrawerGroupList>
          {SECTIONS.map((section) => ({ section, entries: list.filter((entry) => entry.section === section) }))
            .filter(({ entries }) => entries.length > 0)
            .map(({ section, entries }) => (
              <NotificationDrawerGroup
                key={section}
                title={t(`frame.section.${section}`)}
                isExpanded={!closed.has(section)}
                count={entries.filter(({ read }) => !read).length}
                onExpand={() => toggle(section)}
              >
                <NotificationDrawerList isHidden={closed.has(section)} aria-label={t(`frame.section.${section}`)}>
                  {entries.map((entry) => (
                    <Entry key={entry.id} entry={entry} />
                  ))}
                </NotificationDrawerList>
              </NotificationDrawerGroup>
            ))}
        </NotificationDrawerGroupList>
      </NotificationDrawerBody>
    </NotificationDrawer>
  );
}

function Entry({ entry }: { entry: Notification }) {
  const { t, i18n } = useTranslation();
  const { value, unit } = age(entry.time, new Date());
  const isRecent = unit === 'second' || unit === 'minute';
  const when = isRecent
    ? new Intl.RelativeTimeFormat(i18n.language, { numeric: 'auto' }).format(-value, unit)
    : `${utcTime(entry.time)} UTC`;
  return (
    <NotificationDrawerListItem
      variant={entry.variant}
      isRead={entry.read}
      onClick={() => notifications.change(entry.id, { read: true })}
    >
      <NotificationDrawerListItemHeader
        variant={entry.variant}
        title={entry.title}
        srTitle={t(`frame.variant.${entry.variant}`)}
        headingLevel="h3"
      />
      <NotificationDrawerListItemBody timestamp={when}>
        {entry.body}
        {entry.errorId && <div>{t('common.error_quote', { id: entry.errorId })}</div>}
        {entry.link && (
          <div>
            <Link to={entry.link.to}>{entry.link.text}</Link>
          </div>
        )}
      </NotificationDrawerListItemBody>
    </NotificationDrawerListItem>
  );
}
