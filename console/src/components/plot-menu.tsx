import { Dropdown, DropdownItem, DropdownList, MenuToggle, type MenuToggleElement } from '@patternfly/react-core';
import DownloadIcon from '@patternfly/react-icons/dist/esm/icons/download-icon';
import { type Ref, type RefObject, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNotify } from '../hooks/use-notify.ts';
import { utcTime } from './format.ts';
import { type Cell, csvOf } from './plot-csv.ts';
import { type LegendEntry, pictureOf, pngOf, textOf } from './plot-picture.ts';
import { saveBlob } from './save-blob.ts';

export interface PlotExport {
  /** Name of the files, without extension. */
  name: string;
  /** The finding, as a sentence. */
  title: string;
  legend?: LegendEntry[];
  /** Source of the figures. Date and product are added. */
  caption: string[];
  /** The plot's data. */
  columns: string[];
  rows: Cell[][];
}

const PNG_SCALE = 2;

/** Menu of a plot: the picture as SVG or PNG, the data as CSV. `plot`: the element that holds its svg. */
export function PlotMenu({ plot, of }: { plot: RefObject<HTMLElement | null>; of: PlotExport }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const [isOpen, setOpen] = useState(false);
  const { name, title, legend = [], columns, rows } = of;
  const caption = () => [
    ...of.caption,
    t('plot.made', { at: utcTime(new Date()), host: window.location.host }),
    t('common.ruo'),
  ];
  const picture = () => {
    const svg = plot.current?.querySelector('svg');
    if (!svg) throw new Error('the plot is not drawn');
    return pictureOf(svg, { title, legend, caption: caption() });
  };
  const formats = {
    svg: () => new Blob([textOf(picture())], { type: 'image/svg+xml' }),
    png: () => pngOf(picture(), PNG_SCALE),
    csv: () => new Blob([csvOf([title, ...caption()], columns, rows)], { type: 'text/csv;charset=utf-8' }),
  };
  const save = async (format: keyof typeof formats): Promise<void> => {
    try {
      saveBlob(await formats[format](), `${name}.${format}`);
    } catch (error) {
      notify.error(t('plot.failed'), { section: 'exports' })(error);
    }
  };
  return (
    <Dropdown
      isOpen={isOpen}
      onOpenChange={setOpen}
      onSelect={() => setOpen(false)}
      popperProps={{ position: 'right' }}
      toggle={(ref: Ref<MenuToggleElement>) => (
        <MenuToggle
          ref={ref}
          variant="plain"
          size="sm"
          icon={<DownloadIcon />}
          onClick={() => setOpen(!isOpen)}
          isExpanded={isOpen}
          aria-label={t('plot.export', { title })}
        />
      )}
    >
      <DropdownList>
        {(['svg', 'png', 'csv'] as const).map((format) => (
          <DropdownItem key={format} onClick={() => void save(format)}>
            {t(`plot.${format}`)}
          </DropdownItem>
        ))}
      </DropdownList>
    </Dropdown>
  );
}
