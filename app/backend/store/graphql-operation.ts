/** Longest name that is kept, characters. */
const MOST_NAME = 80;

/** A cheap look at the path, so that only what may be GraphQL is looked into. */
export function mayBeGraphql(path: string): boolean {
  return /graphql|\/gql\b/i.test(path);
}

/**
 * The name of a GraphQL request's operation (GraphQL over HTTP, September 2025 draft, §5): `operationName` of the JSON body
 * or of the query string, else the name that the document gives to its first operation.
 *
 * @param body of the request, not content-encoded; null when it was too long
 * @returns null when there is none
 */
export function graphqlOperation(
  { method, path }: { readonly method: string; readonly path: string },
  body: Buffer | null,
): string | null {
  const query = path.indexOf('?');
  if (query >= 0) {
    const parameters = new URLSearchParams(path.slice(query + 1));
    const named = parameters.get('operationName') ?? nameIn(parameters.get('query'));
    if (named !== null && named !== '') return named.slice(0, MOST_NAME);
  }
  if (method !== 'POST' || body === null) return null;
  const first = body.find((byte) => byte > 0x20);
  if (first !== 0x7b && first !== 0x5b) return null;
  const names = requestsOf(body.toString('utf8'))
    .map(({ operationName, query: document }) => (isName(operationName) ? operationName : nameIn(document)))
    .filter((name) => name !== null);
  return names.length === 0 ? null : names.join(', ').slice(0, MOST_NAME);
}

interface GraphqlRequest {
  readonly operationName?: unknown;
  readonly query?: unknown;
}

/** One request, or those of a batch. */
function requestsOf(text: string): readonly GraphqlRequest[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return [];
  }
  return (Array.isArray(parsed) ? parsed : [parsed]).filter(
    (request): request is GraphqlRequest => typeof request === 'object' && request !== null,
  );
}

function nameIn(document: unknown): string | null {
  if (typeof document !== 'string') return null;
  return /(?:^|[\s}])(?:query|mutation|subscription)\s+([A-Za-z_]\w*)/.exec(document)?.[1] ?? null;
}

function isName(name: unknown): name is string {
  return typeof name === 'string' && name !== '';
}
