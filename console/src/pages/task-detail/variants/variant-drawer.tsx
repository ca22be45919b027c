import {
  Card,
  CardBody,
  CardTitle,
  Content,
  DrawerActions,
  DrawerCloseButton,
  DrawerHead,
  DrawerPanelBody,
  DrawerPanelContent,
  Label,
  LabelGroup,
  Title,
} from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ErrorState } from '../../../components/error-state.tsx';
import { PageSkeleton } from '../../../components/page-skeleton.tsx';
import { region } from '../../../hooks/use-region-keys.ts';
import { usePileup, useVariant, type VariantDetail } from '../../../queries/results.ts';
import { EvidenceCard } from './evidence-card.tsx';
import { PileupPlot } from './pileup-plot.tsx';
import { locus } from './variant-format.ts';

/** Shows the evidence of a call and the reads that support it. */
export function VariantDrawer({
  group,
  task,
  id,
  onClose,
}: {
  group: string;
  task: string;
  id: string;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const variant = useVariant(group, task, id);
  const row = variant.data?.row;
  return (
    <DrawerPanelContent {...region('drawer')} isResizable defaultSize="520px" minSize="380px" maxSize="900px">
      <DrawerHead>
        <Title headingLevel="h2" size="lg">
          <span translate="no">
            {row ? [row.gene, row.hgvs_p ?? row.hgvs_c].filter(Boolean).join(' ') || locus(row.chrom, row.pos) : '…'}
          </span>
        </Title>
        {row && <Identity row={row} />}
        <DrawerActions>
          <DrawerCloseButton onClick={onClose} aria-label={t('common.close')} />
        </DrawerActions>
      </DrawerHead>
      <DrawerPanelBody>
        {variant.isPending && <PageSkeleton />}
        {variant.error ? <ErrorState error={variant.error} onRetry={() => void variant.refetch()} /> : null}
        {variant.data && (
          <>
            <EvidenceCard detail={variant.data} />
            <PileupCard group={group} task={task} detail={variant.data} />
          </>
        )}
      </DrawerPanelBody>
    </DrawerPanelContent>
  );
}

function Identity({ row }: { row: VariantDetail['row'] }) {
  const { t } = useTranslation();
  const text = `${row.chrom}-${row.pos}-${row.ref}-${row.alt}`;
  return (
    <>
      <Content component="p" translate="no">
        {row.sample} · {locus(row.chrom, row.pos)}{' '}
        <span className="sp-mono sp-break">
          {row.ref}&gt;{row.alt}
        </span>
        <CopyButton text={text} what={t('variants.copy_variant')} />
        {row.hgvs_c && <CopyButton text={`${row.transcript}:${row.hgvs_c}`} what={t('variants.copy_hgvs')} />}
      </Content>
      <LabelGroup numLabels={8}>
        {row.filter.length === 0 ? (
          <Label isCompact color="green">
            PASS
          </Label>
        ) : (
          row.filter.map((reason) => (
            <Label key={reason} isCompact color="yellow" title={t('variants.filter_title')}>
              {t(`variants.filter.${reason}` as never, { defaultValue: reason })}
            </Label>
          ))
        )}
        {row.group && (
          <Label isCompact color="blue">
            {row.group}
          </Label>
        )}
      </LabelGroup>
    </>
  );
}

function PileupCard({ group, task, detail }: { group: string; task: string; detail: VariantDetail }) {
  const { t } = useTranslation();
  const pileup = usePileup(group, task, detail.pileup);
  return (
    <Card isCompact className="sp-drawer-card">
      <CardTitle component="h3">{t('variants.pileup')}</CardTitle>
      <CardBody>
        {!detail.pileup && <p>{t('variants.no_pileup')}</p>}
        {pileup.error ? <ErrorState error={pileup.error} onRetry={() => void pileup.refetch()} /> : null}
        {pileup.data && <PileupPlot pileup={pileup.data} />}
      </CardBody>
    </Card>
  );
}
