import { Card, CardBody, CardTitle, StackItem } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { count } from '../../components/format.ts';
import type { TaskSummary } from '../../queries/results.ts';
import type { TabProps } from './tabs.ts';

const NUMBER_COLUMNS: ReadonlySet<string> = new Set(['kept', 'tumor_depth', 'normal_depth', 'concordance']);

/** Tumor-normal pairs of a task. */
export function Pairs({ summary, task, groupParam }: TabProps & { summary: TaskSummary }) {
  const { t } = useTranslation();
  const columns = ['name', 'tumor', 'normal', 'kept', 'tumor_depth', 'normal_depth', 'concordance'] as const;
  return (
    <StackItem>
      <Card>
        <CardTitle component="h3">{t('task_detail.pairs')}</CardTitle>
        <CardBody>
          <Table variant="compact" aria-label={t('task_detail.pairs')}>
            <Thead>
              <Tr>
                {columns.map((column) => (
                  <Th key={column} modifier="wrap" {...(NUMBER_COLUMNS.has(column) ? { className: 'sp-number' } : {})}>
                    {t(`task_detail.pair.${column}`)}
                  </Th>
                ))}
              </Tr>
            </Thead>
            <Tbody>
              {summary.pairs.map((pair) => (
                <Tr key={pair.name}>
                  <Th scope="row" translate="no">
                    <Link
                      to={`/secondary-analysis/tasks/${task.id}?tab=variants&sample=${encodeURIComponent(pair.tumor)}${groupParam.replace('?', '&')}`}
                    >
                      {pair.name}
                    </Link>
                  </Th>
                  <Td translate="no">{pair.tumor}</Td>
                  <Td translate="no">{pair.normal}</Td>
                  <Td className="sp-number">{pair.kept ?? '–'}</Td>
                  <Td className="sp-number">{depth(pair.tumor_depth)}</Td>
                  <Td className="sp-number">{depth(pair.normal_depth)}</Td>
                  <Td className="sp-number">
                    {pair.concordance === null || pair.concordance === undefined
                      ? '–'
                      : t('task_detail.concordance', {
                          percent: (pair.concordance * 100).toFixed(1),
                          count: pair.sites ?? 0,
                        })}
                  </Td>
                </Tr>
              ))}
            </Tbody>
          </Table>
        </CardBody>
      </Card>
    </StackItem>
  );
}

const depth = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : `${count(Math.round(value))} ×`;
