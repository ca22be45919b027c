import { type DetailedError, Upload } from 'tus-js-client';
import { ApiError, isErrorAnswer } from '../api/api-error.ts';
import { refreshToken } from '../api/client.ts';
import { session } from '../session/session.ts';
import type { StartTransfer } from './upload-item.ts';

/** Delays before a lost connection is resumed from the stored bytes. */
const RETRY_DELAYS_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000];

/** Sends one file by tus. Resumes an earlier upload of the same file. */
export const startTusTransfer: StartTransfer = (item, file, events) => {
  let isStopped = false;
  let refreshing: Promise<unknown> | undefined;
  const upload = new Upload(file, {
    endpoint: `/api/v1/pivat/${item.group}/uploads`,
    metadata: { project: item.project, filename: item.name, batch: String(item.batch) },
    fingerprint: () => Promise.resolve(`seqpanel-${item.project}-${item.name}-${item.size}-${item.lastModified}`),
    removeFingerprintOnSuccess: true,
    retryDelays: RETRY_DELAYS_MS,
    onBeforeRequest: async (request) => {
      await refreshing;
      refreshing = undefined;
      const token = session.get()?.token;
      if (token) request.setHeader('Authorization', `Bearer ${token}`);
    },
    onShouldRetry: (error: DetailedError) => {
      const status = error.originalResponse?.getStatus() ?? 0;
      const token = session.get()?.token;
      if (status === 401 && token) {
        refreshing = refreshToken(token).catch(() => undefined);
        return true;
      }
      // 423: another connection holds the upload, as shortly after a lost connection.
      return status === 0 || status === 423 || status >= 500;
    },
    onProgress: (sent) => events.onProgress(sent),
    onSuccess: () => events.onDone(),
    onError: (error) => events.onError(asApiError(error)),
  });
  void upload.findPreviousUploads().then(([previous]) => {
    if (isStopped) return;
    if (previous) upload.resumeFromPreviousUpload(previous);
    upload.start();
  });
  return {
    pause: () => {
      isStopped = true;
      void upload.abort();
    },
    cancel: () => {
      isStopped = true;
      void upload
        .findPreviousUploads()
        .then(([previous]) => {
          if (previous && !upload.url) upload.resumeFromPreviousUpload(previous);
          return upload.abort(true);
        })
        .catch(() => undefined);
    },
  };
};

/** Returns the api's error inside the error of tus, or "unreachable". */
function asApiError(error: Error | DetailedError): ApiError {
  const response = 'originalResponse' in error ? error.originalResponse : null;
  const request = { method: 'PATCH', url: '/api/v1/pivat/uploads' };
  if (!response) return new ApiError('unreachable', request);
  try {
    const body: unknown = JSON.parse(response.getBody());
    if (isErrorAnswer(body)) return new ApiError('answered', request, response.getStatus(), body);
  } catch {
    // A proxy's page has no message, so only the status is used.
  }
  return new ApiError('answered', request, response.getStatus());
}
