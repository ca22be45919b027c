/**
 * Ids that follow a launch from the request through the AnalysisTask and its Jobs to the logs of api, operator and steps.
 * `traceparent` is defined by W3C Trace Context (https://www.w3.org/TR/trace-context/#traceparent-header).
 */

export const REQUEST_ID_ANNOTATION = 'seqpanel.dev/request-id';
export const TRACEPARENT_ANNOTATION = 'seqpanel.dev/traceparent';

/** Environment variables of a step's container. */
export const REQUEST_ID_ENV = 'SEQPANEL_REQUEST_ID';
export const TRACEPARENT_ENV = 'TRACEPARENT';

export interface Correlation {
  requestId?: string;
  traceparent?: string;
}

/** Accepts version 00 only. Ids of zeros are invalid. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const REQUEST_ID = /^[A-Za-z0-9-]{1,64}$/;

export const isTraceparent = (text: unknown): text is string => typeof text === 'string' && TRACEPARENT.test(text);

/** Reads the ids from a resource's annotations. Ignores malformed ones, because anyone may annotate. */
export function correlationOf(annotations: Readonly<Record<string, string>> | undefined): Correlation {
  const requestId = annotations?.[REQUEST_ID_ANNOTATION];
  const traceparent = annotations?.[TRACEPARENT_ANNOTATION];
  return {
    ...(requestId !== undefined && REQUEST_ID.test(requestId) && { requestId }),
    ...(isTraceparent(traceparent) && { traceparent }),
  };
}

/** Returns the annotations for the ids. */
export const correlationAnnotations = ({ requestId, traceparent }: Correlation): Record<string, string> => ({
  ...(requestId !== undefined && { [REQUEST_ID_ANNOTATION]: requestId }),
  ...(traceparent !== undefined && { [TRACEPARENT_ANNOTATION]: traceparent }),
});

/** Returns the environment variables for the ids. */
export const correlationEnv = ({ requestId, traceparent }: Correlation): { name: string; value: string }[] => [
  ...(requestId !== undefined ? [{ name: REQUEST_ID_ENV, value: requestId }] : []),
  ...(traceparent !== undefined ? [{ name: TRACEPARENT_ENV, value: traceparent }] : []),
];
