/** The call that checks the stored token. */
export const VERIFY_PATH = '/api/v1/pivat/api-token-verify';
