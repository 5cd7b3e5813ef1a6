import type { ContractErrorCode, ContractFailure } from './calls.ts';

/** A call or a stream of the contract failed. Thrown by services on one side and by the client on the other. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  readonly code: ContractErrorCode;
  /** `bad-filter`: the offending range of the text, UTF-16 units. */
  readonly position: number | null;
  readonly end: number | null;

  /**
   * @param message for a person: what, why, next step
   * @param range where in the filter text, for `bad-filter`
   */
  constructor(code: ContractErrorCode, message: string, range?: { position: number; end: number }) {
    super(message);
    this.code = code;
    this.position = range?.position ?? null;
    this.end = range?.end ?? null;
  }

  static from(failure: ContractFailure): ContractError {
    const { code, message, position, end } = failure;
    return position === undefined
      ? new ContractError(code, message)
      : new ContractError(code, message, { position, end: end ?? position });
  }

  toFailure(): ContractFailure {
    const { code, message, position, end } = this;
    return position === null ? { code, message } : { code, message, position, end: end ?? position };
  }
}
