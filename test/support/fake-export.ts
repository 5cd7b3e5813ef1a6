import type { ExportPreview, LeavingExchange } from '../../app/contract/index.ts';

const EXCHANGE: LeavingExchange = {
  id: 96,
  method: 'POST',
  url: 'https://api.weir.test/v2/customers/cus_51c9a20f77/carts/crt_8Q2ZK/items/1042/reservations?warehouse=north',
};

/** What an invented export of one exchange would hold. */
export const FAKE_PREVIEW: ExportPreview = {
  report: {
    exchanges: 1,
    bytes: 18_412,
    hosts: 1,
    busiest: [{ host: 'api.weir.test', exchanges: 1 }],
    headers: 2,
    cookies: 3,
    parameters: 0,
    jsonValues: 0,
    leftOut: 1,
    named: [{ exchange: EXCHANGE, what: 'response body', reason: 'it could not be read as JSON' }],
    otherBodies: 1,
    samples: [
      { exchange: EXCHANGE, place: 'request header', name: 'Authorization', leaves: 'Bearer redacted' },
      { exchange: EXCHANGE, place: 'response cookie', name: 'session', leaves: 'session=redacted' },
    ],
  },
  total: 1,
  done: true,
};
