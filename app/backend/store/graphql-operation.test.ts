import { expect, test } from 'vitest';
import { graphqlOperation, mayBeGraphql } from './graphql-operation.ts';

const post = (body: string): string | null =>
  graphqlOperation({ method: 'POST', path: '/graphql' }, Buffer.from(body, 'utf8'));

test('the operation has the name that the request gives, or that its document gives', () => {
  expect(post('{"operationName":"Cart","query":"query Other { a }"}')).toBe('Cart');
  expect(post('{"query":"mutation AddItem($id: ID!) { add(id: $id) { id } }"}')).toBe('AddItem');
  expect(post('{"query":"{ cart { id } }"}')).toBeNull();
  expect(post('[{"operationName":"A"},{"query":"query B { b }"}]')).toBe('A, B');
});

test('a GET names its operation in the query string', () => {
  expect(graphqlOperation({ method: 'GET', path: '/graphql?operationName=Menu&extensions=%7B%7D' }, null)).toBe('Menu');
  expect(graphqlOperation({ method: 'GET', path: '/graphql?query=query%20Find%20%7Ba%7D' }, null)).toBe('Find');
});

test('what is no GraphQL request has no operation, whatever it holds', () => {
  for (const body of ['', 'null', '[null, 7, "x"]', '{"operationName":7}', '{', 'operationName=Cart']) {
    expect([body, post(body)]).toEqual([body, null]);
  }
  expect(mayBeGraphql('/v2/orders')).toBe(false);
  expect(mayBeGraphql('/api/GraphQL?x=1')).toBe(true);
});
