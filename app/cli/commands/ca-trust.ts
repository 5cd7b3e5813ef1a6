import { homedir } from 'node:os';
import { createCommandRunner } from '../../backend/platform/command-runner.ts';
import { findTrustStores } from '../../backend/platform/trust/find-trust-stores.ts';
import { trustAuthority } from '../../backend/platform/trust/trust-authority.ts';
import type { TrustAuthority, TrustStore } from '../../backend/platform/trust/trust-store.ts';
import { examineStore, trust, TrustError, untrust } from '../../backend/platform/trust/trust-store.ts';
import { print, tell } from '../output.ts';
import { CommandError } from '../usage.ts';

/** `weir ca trust [STORE]`. @param certificate PEM @param file where it lies @param wanted `system`, `nss` or an id */
export async function trustIn(certificate: string, file: string, wanted: string | undefined): Promise<number> {
  const { authority, stores } = await chosenStores(certificate, file, wanted);
  return forEach(stores, async (store) => {
    if (!store.changeable) {
      const state = await examineStore(store, authority);
      if (state.kind === 'trusted') return 'trusts it already';
      return `is the administrator's. Run: ${store.trustLine(authority)}`;
    }
    await trust(store, authority);
    return `trusts it. Undo: ${store.untrustLine(authority)}`;
  });
}

/** `weir ca untrust [STORE] [--all]`. @param all authorities of other Weirs too */
export async function untrustIn(
  certificate: string,
  file: string,
  wanted: string | undefined,
  all: boolean,
): Promise<number> {
  const { authority, stores } = await chosenStores(certificate, file, wanted);
  return forEach(stores, async (store) => {
    const state = await examineStore(store, authority);
    const holds = state.kind === 'unreadable' || state.kind !== 'absent' || (all && state.others > 0);
    if (!holds) return 'does not have it';
    if (!store.changeable) return `is the administrator's. Run: ${store.untrustLine(authority)}`;
    const count = await untrust(store, authority, all ? 'all' : 'ours');
    return count === 1 ? 'has it no more' : `has ${String(count)} authorities less`;
  });
}

async function chosenStores(
  certificate: string,
  file: string,
  wanted: string | undefined,
): Promise<{ authority: TrustAuthority; stores: readonly TrustStore[] }> {
  const authority = trustAuthority(certificate, file);
  const run = createCommandRunner(process.env);
  const asRoot = process.getuid?.() === 0;
  const stores = await findTrustStores({ platform: process.platform, home: homedir(), asRoot, run }, authority);
  const chosen = stores.filter(
    ({ id }) => wanted === undefined || id === wanted || (wanted === 'nss' && id.startsWith('nss:')),
  );
  if (chosen.length > 0) return { authority, stores: chosen };
  const names = stores.map(({ id }) => id).join(', ');
  throw new CommandError(
    wanted === undefined
      ? 'No store of trust was found here. Start a browser once, so that it makes its own.'
      : `There is no store ${JSON.stringify(wanted)} here. There are: ${names || 'none'}. \`nss\` stands for every browser's.`,
  );
}

/** Goes on after a failure and tells all of them. */
async function forEach(stores: readonly TrustStore[], work: (store: TrustStore) => Promise<string>): Promise<number> {
  let failed = false;
  for (const store of stores) {
    try {
      await print(`${store.name}: ${await work(store)}\n`);
    } catch (error: unknown) {
      if (!(error instanceof TrustError)) throw error;
      failed = true;
      tell(`${store.name}: ${error.message}`);
    }
  }
  return failed ? 1 : 0;
}
