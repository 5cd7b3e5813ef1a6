import type { TrustStoreReport } from '#contract';
import type { TrustAuthority, TrustStore } from './trust-store.ts';
import { examineStore } from './trust-store.ts';

/** Looks into one store and says what there is to know and to do. Never throws. */
export async function reportOnStore(store: TrustStore, authority: TrustAuthority): Promise<TrustStoreReport> {
  const state = await examineStore(store, authority);
  const others = state.kind === 'unreadable' ? 0 : state.others;
  return {
    id: store.id,
    name: store.name,
    readers: store.readers,
    state: state.kind === 'absent' && others > 0 ? 'other' : state.kind,
    others,
    problem: state.kind === 'unreadable' ? state.reason : '',
    changeable: store.changeable,
    trustLine: store.trustLine(authority),
    untrustLine: store.untrustLine(authority),
  };
}
