import type { ResponseHead } from '../protocol/http1/index.ts';
import type { ExchangeHead } from './broken-head.ts';

const SCHEMES = /^(ntlm|negotiate)\b/i;

/** NTLM and Negotiate authenticate a connection, not a request (RFC 4559): nobody else may use it afterwards. */
export function challengesConnection(head: ResponseHead): boolean {
  for (let index = 0; index < head.fieldCount; index += 1) {
    if (head.fieldName(index).toLowerCase() === 'www-authenticate' && SCHEMES.test(head.fieldValue(index))) return true;
  }
  return false;
}

/** Whether a request carries such credentials. */
export function authenticatesConnection(head: ExchangeHead): boolean {
  const credentials = head.get('authorization');
  return credentials !== null && SCHEMES.test(credentials);
}
