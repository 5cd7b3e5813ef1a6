/**
 * Codes of errors of Connect, each at the number that gRPC gives it; at 0 stands what a call that went well does not say.
 *
 * @see https://connectrpc.com/docs/protocol#error-codes
 */
export const CONNECT_CODES = [
  'ok',
  'canceled',
  'unknown',
  'invalid_argument',
  'deadline_exceeded',
  'not_found',
  'already_exists',
  'permission_denied',
  'resource_exhausted',
  'failed_precondition',
  'aborted',
  'out_of_range',
  'unimplemented',
  'internal',
  'unavailable',
  'data_loss',
  'unauthenticated',
] as const;

export type ConnectCode = Exclude<(typeof CONNECT_CODES)[number], 'ok'>;
