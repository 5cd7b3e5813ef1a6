import { ContractError, type ContractFailure } from '#contract';
import { StoreError, surroundingsOf } from './store-error.ts';

/** A failed call as it crosses a thread. */
export function failureOf(error: unknown): ContractFailure {
  if (error instanceof ContractError) return error.toFailure();
  if (error instanceof StoreError) return { code: 'unavailable', message: error.message };
  const known = surroundingsOf(error);
  if (known !== null) return { code: 'unavailable', message: `${known.cause} ${known.remedy}` };
  return { code: 'internal', message: error instanceof Error ? error.message : String(error) };
}
