import { homedir } from 'node:os';
import { MAGIC_HOST } from '#engine';
import { ContractError } from '#contract';
import type { BackendCore } from '../backend-core.ts';
import { createCommandRunner } from '../platform/command-runner.ts';
import { findTrustStores } from '../platform/trust/find-trust-stores.ts';
import { examinePrograms } from '../platform/trust/program-trust.ts';
import { selfTest } from '../platform/trust/self-test.ts';
import { trustAuthority } from '../platform/trust/trust-authority.ts';
import { reportOnStore } from '../platform/trust/trust-report.ts';
import type { TrustAuthority, TrustStore } from '../platform/trust/trust-store.ts';
import { trust, TrustError, untrust } from '../platform/trust/trust-store.ts';
import { proxyAddress } from '../proxy-address.ts';
import type { CallHandlers } from '../transport/server.ts';

/** Trust in our authority: where it is, and how it gets there and away again. */
export function createTrustCalls(
  core: BackendCore,
): Pick<CallHandlers, 'trust.examine' | 'trust.install' | 'trust.remove'> {
  const run = createCommandRunner(process.env);
  const surroundings = {
    platform: process.platform,
    home: homedir(),
    asRoot: process.getuid?.() === 0,
    run,
  };
  const ours = (): TrustAuthority => trustAuthority(core.authority.pem.certificate, core.authority.file);

  async function change(id: string, work: (store: TrustStore, authority: TrustAuthority) => Promise<unknown>) {
    const authority = ours();
    const stores = await findTrustStores(surroundings, authority);
    const store = stores.find((candidate) => candidate.id === id);
    if (store === undefined) throw new ContractError('not-found', `There is no store of trust ${id} here any more.`);
    try {
      await work(store, authority);
    } catch (error: unknown) {
      if (error instanceof TrustError) throw new ContractError('unavailable', error.message);
      throw error;
    }
    return reportOnStore(store, authority);
  }

  return {
    async 'trust.examine'() {
      const authority = ours();
      const stores = await findTrustStores(surroundings, authority);
      const reports = await Promise.all(stores.map((store) => reportOnStore(store, authority)));
      const proxy = proxyAddress(core.engine.listeners);
      if (proxy === null) return { stores: reports, programs: [], selfTest: 'No listener of this Weir is a proxy.' };
      const { fingerprint, pem } = authority;
      const url = `https://${MAGIC_HOST}/`;
      return {
        stores: reports,
        selfTest: await selfTest(proxy, MAGIC_HOST, pem),
        programs: await examinePrograms({
          proxy,
          url,
          fingerprint,
          run,
          javaOptions: process.env['JAVA_TOOL_OPTIONS'] ?? '',
        }),
      };
    },
    'trust.install': ({ store }) => change(store, trust),
    'trust.remove': ({ store, all }) =>
      change(store, (found, authority) => untrust(found, authority, all ? 'all' : 'ours')),
  };
}
