import {
  Breadcrumb,
  BreadcrumbItem,
  Content,
  Flex,
  FlexItem,
  PageBreadcrumb,
  PageSection,
  Title,
} from '@patternfly/react-core';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';

interface PageHeaderProps {
  /** The page's one h1; also the browser tab's title. */
  title: string;
  /** Next to the title: a status, a copy button. */
  beside?: ReactNode;
  /** Purpose of the page, in one line. */
  purpose?: string;
  /** Pages above this one, list first. */
  breadcrumb?: { text: string; to: string }[];
  /** Right: plain buttons, the primary one last. */
  actions?: ReactNode;
  /** A dot in the tab's title while a form is not saved. */
  isDirty?: boolean;
  /** Shows all in one line, for pages whose content needs the height. */
  isCompact?: boolean;
  children?: ReactNode;
}

/** Title, one-line purpose, actions on the right. */
export function PageHeader({
  title,
  beside,
  purpose,
  breadcrumb,
  actions,
  isDirty,
  isCompact,
  children,
}: PageHeaderProps) {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = `${isDirty ? '• ' : ''}${title} · SeqPanel`;
  }, [title, isDirty]);
  return (
    <>
      {breadcrumb && !isCompact && (
        <PageBreadcrumb>
          <Breadcrumb aria-label={t('common.breadcrumb')}>
            {breadcrumb.map((item) => (
              <BreadcrumbItem
                key={item.to}
                render={({ className }) => (
                  <Link className={className} to={item.to}>
                    {item.text}
                  </Link>
                )}
              />
            ))}
            <BreadcrumbItem isActive>
              <span translate="no">{title}</span>
            </BreadcrumbItem>
          </Breadcrumb>
        </PageBreadcrumb>
      )}
      <PageSection hasBodyWrapper={false} className={isCompact ? 'sp-compact-head' : ''}>
        <Flex
          justifyContent={{ default: 'justifyContentSpaceBetween' }}
          alignItems={{ default: 'alignItemsFlexStart' }}
        >
          <FlexItem flex={{ default: 'flex_1' }} style={{ minWidth: 0 }}>
            <Flex alignItems={{ default: 'alignItemsCenter' }} spaceItems={{ default: 'spaceItemsSm' }}>
              {isCompact &&
                breadcrumb?.map((item) => (
                  <Link key={item.to} to={item.to}>
                    {item.text} ›
                  </Link>
                ))}
              <Title headingLevel="h1" size={isCompact ? 'lg' : '2xl'} style={{ overflowWrap: 'anywhere' }}>
                {title}
              </Title>
              {beside}
            </Flex>
            {purpose && <Content component="p">{purpose}</Content>}
          </FlexItem>
          {actions && (
            <Flex spaceItems={{ default: 'spaceItemsSm' }} className="sp-no-print">
              {actions}
            </Flex>
          )}
        </Flex>
        {children}
      </PageSection>
    </>
  );
}
