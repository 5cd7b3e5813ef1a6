import {
  ERROR_CODES,
  type ErrorCode,
  type ErrorPhase,
  type ErrorSide,
  type ExchangeError,
} from '../model/error-code.ts';

/** A failure as data, with the side and phase of its code unless the place that fails knows better. */
export function failure(
  code: ErrorCode,
  message: string,
  at?: { readonly side?: ErrorSide; readonly phase?: ErrorPhase },
): ExchangeError {
  const facts = ERROR_CODES[code];
  return { code, side: at?.side ?? facts.side, phase: at?.phase ?? facts.phase, message };
}

/** Status that an error is answered with; null when no answer is possible. */
export function answerStatus(code: ErrorCode): number | null {
  return ERROR_CODES[code].answer;
}
