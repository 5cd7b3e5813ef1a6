import type { ExportPreview } from '../../app/contract/index.ts';

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
    named: [{ exchange: 96, what: 'response body', reason: 'it could not be read as JSON' }],
    otherBodies: 1,
    samples: [
      { exchange: 96, place: 'request header', name: 'Authorization', leaves: 'Bearer redacted' },
      { exchange: 96, place: 'response cookie', name: 'session', leaves: 'session=redacted' },
    ],
  },
  total: 1,
  done: true,
};
