/**
 * The order of the products in a round. Each round begins with another one, a part of the way further, so that no product is measured
 * twice in a row and a busy minute of the machine meets each of them once rather than one of them twice.
 */
export function trialOrder<T>(products: readonly T[], round: number, rounds: number): readonly T[] {
  const first = Math.floor((products.length * round) / rounds);
  return [...products.slice(first), ...products.slice(0, first)];
}
