import { expect, test } from 'vitest';
import { graphqlText, looksLikeGraphql, prettyGraphql } from './pretty-graphql.ts';

test('a document gets a line for each field, arguments stay with theirs', () => {
  const document =
    'query Cart($id:ID!,$n:Int=5){cart(id:$id,filter:{open:true}){total:sum items(first:$n){...Item ...on Gift{note}}}}fragment Item on Item@x{id}';
  expect(prettyGraphql(document)).toBe(`query Cart($id: ID!, $n: Int = 5) {
  cart(id: $id, filter: { open: true }) {
    total: sum
    items(first: $n) {
      ...Item
      ... on Gift {
        note
      }
    }
  }
}

fragment Item on Item @x {
  id
}`);
});

test('a request is shown as its document and its variables', () => {
  const json = JSON.stringify({ operationName: 'A', query: 'query A{a}', variables: { id: 1 } });
  expect(looksLikeGraphql(json)).toBe(true);
  expect(graphqlText(json)).toBe('# operation: A\nquery A {\n  a\n}\n\n# variables\n{ "id": 1 }');
  expect(graphqlText('{"query":7}')).toBeNull();
  expect(looksLikeGraphql('{"query":"shoes"}')).toBe(false);
});
