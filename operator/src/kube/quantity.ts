/** Kubernetes quantities: memory and processors as in Pipelines, and any kind as in nodes. */

const FACTORS: Record<string, number> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** Parses `512Mi`, `2Gi` or `1.5G` as bytes; undefined when it is not a quantity of memory. */
export function parseBytes(quantity: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([kMGT]|[KMGT]i|)$/.exec(quantity);
  const factor = match && FACTORS[match[2] ?? ''];
  return match && factor !== undefined && factor !== null ? Math.round(Number(match[1]) * factor) : undefined;
}

/** Formats bytes as whole MiB, rounded up, such as `2048Mi`. */
export const formatMebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)}Mi`;

/** Parses `2` or `500m` as cores; undefined when it is not a quantity of processors. */
export function parseCores(quantity: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(m?)$/.exec(quantity);
  return match ? Number(match[1]) / (match[2] ? 1000 : 1) : undefined;
}

const ANY_FACTORS: Record<string, number> = {
  ...FACTORS,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  P: 1e15,
  E: 1e18,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Parses any quantity (`7910m`, `32Gi`, `1e3`, `110`); undefined when it is invalid. */
export function parseQuantity(quantity: string): number | undefined {
  const match = /^(\d+(?:\.\d*)?|\.\d+)(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(quantity);
  if (!match) return undefined;
  return match[2] ? Number(`${match[1]}${match[2]}`) : Number(match[1]) * (ANY_FACTORS[match[3] ?? ''] ?? 1);
}
