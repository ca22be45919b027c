import { PageSection, Skeleton, Stack, StackItem } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';

/** Placeholder of a page while its first data load. */
export function PageSkeleton() {
  const { t } = useTranslation();
  return (
    <PageSection hasBodyWrapper={false}>
      <Stack hasGutter>
        {['40%', '80%', '100%', '100%', '60%'].map((width, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are fixed
          <StackItem key={index}>
            <Skeleton width={width} {...(index === 0 ? { screenreaderText: t('table.loading') } : {})} />
          </StackItem>
        ))}
      </Stack>
    </PageSection>
  );
}
