import { Card, CardBody, CardTitle, Content, Gallery, List, ListItem } from '@patternfly/react-core';
import { useTranslation } from 'react-i18next';
import type { TaskSummary } from '../../queries/results.ts';

/** Tools and annotation sources that a task used, with their versions. */
export function Provenance({ summary }: { summary: TaskSummary }) {
  const { t } = useTranslation();
  const tools = [...new Map(summary.provenance.tools.map((tool) => [`${tool.name} ${tool.version}`, tool])).values()];
  return (
    <Card>
      <CardTitle component="h3">{t('task_detail.provenance')}</CardTitle>
      <CardBody>
        <Gallery hasGutter minWidths={{ default: '320px' }}>
          <div>
            <Content component="h4">{t('task_detail.tools')}</Content>
            <List isPlain translate="no">
              {tools.map((tool) => (
                <ListItem key={`${tool.name} ${tool.version}`}>
                  {tool.name} {tool.version}
                </ListItem>
              ))}
            </List>
          </div>
          <div>
            <Content component="h4">{t('task_detail.sources')}</Content>
            <List isPlain translate="no">
              {summary.provenance.sources.map((source) => (
                <ListItem key={source.name}>
                  {source.name} {source.version}
                </ListItem>
              ))}
            </List>
          </div>
        </Gallery>
      </CardBody>
    </Card>
  );
}
