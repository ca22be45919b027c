/** The result tabs, in their order. */
export const TABS = ['summary', 'variants', 'qc', 'igv'] as const;
export type TabKey = (typeof TABS)[number];
