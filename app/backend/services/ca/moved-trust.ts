import { homedir } from 'node:os';
import type { LeftTrust, MovedTrust } from '#contract';
import { createCommandRunner } from '../../platform/command-runner.ts';
import { findTrustStores } from '../../platform/trust/find-trust-stores.ts';
import type { TrustAuthority, TrustStore } from '../../platform/trust/trust-store.ts';
import { examineStore, trust, TrustError, untrust } from '../../platform/trust/trust-store.ts';

/** Stores in which `old` lies, and how each comes to trust `present` instead. Changes nothing. */
export async function leftTrust(old: TrustAuthority, present: TrustAuthority): Promise<readonly LeftTrust[]> {
  const holders = await storesWith(old);
  return holders.map((store) => ({
    store: store.id,
    name: store.name,
    changeable: store.changeable,
    trustLine: store.trustLine(present),
    untrustLine: store.untrustLine(old),
  }));
}

/** Lets every store that holds `old` trust `present`, and takes `old` out of it, where Weir may. */
export async function moveTrust(old: TrustAuthority, present: TrustAuthority): Promise<readonly MovedTrust[]> {
  const forPresent = await find(present);
  const moved: MovedTrust[] = [];
  for (const store of await storesWith(old)) {
    const { name } = store;
    const target = forPresent.find(({ id }) => id === store.id);
    moved.push({ name, problem: await move(store, target ?? store, old, present) });
  }
  return moved;
}

/** @param target the same store, as it looks for the authority in use */
async function move(
  store: TrustStore,
  target: TrustStore,
  old: TrustAuthority,
  present: TrustAuthority,
): Promise<string | null> {
  if (!store.changeable) return `${target.trustLine(present)} && ${store.untrustLine(old)}`;
  try {
    // First the new one: a failure half-way leaves the store trusting one too many, never none.
    await trust(target, present);
    await untrust(store, old, 'ours');
    return null;
  } catch (error: unknown) {
    if (error instanceof TrustError) return error.message;
    throw error;
  }
}

async function storesWith(authority: TrustAuthority): Promise<readonly TrustStore[]> {
  const stores = await find(authority);
  const states = await Promise.all(stores.map((store) => examineStore(store, authority)));
  return stores.filter((_, at) => states[at]?.kind === 'trusted' || states[at]?.kind === 'untrusted');
}

function find(authority: TrustAuthority): Promise<readonly TrustStore[]> {
  const run = createCommandRunner(process.env);
  const asRoot = process.getuid?.() === 0;
  return findTrustStores({ platform: process.platform, home: homedir(), asRoot, run }, authority);
}
