import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { TRAFFIC_SOURCES } from '../../app/renderer/features/setup/sources.ts';
import { firstItem, startBackend } from '../support/backend-kit.ts';

test.runIf(process.platform === 'linux')(
  'an exchange tells which program asked, and the session counts by program',
  { timeout: 60_000 },
  async () => {
    const held: ServerResponse[] = [];
    const origin = createServer((_request, response) => held.push(response));
    origin.listen(0, '127.0.0.1');
    await once(origin, 'listening');
    const url = `http://127.0.0.1:${String((origin.address() as AddressInfo).port)}/`;
    const weir = await startBackend();
    const client = await weir.connect();
    const { session } = await firstItem(client, 'app.status', {});
    const named = firstItem(client, 'exchanges.changed', { session: session.id }, ({ program }) => program !== null);
    const script = `
      const { request } = require('node:http');
      const options = { host: '127.0.0.1', port: ${String(weir.port)}, path: ${JSON.stringify(url)} };
      request(options, (response) => response.resume()).end();`;
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    const exited = once(child, 'exit');
    try {
      const { id, program } = await named;
      for (const response of held) response.end('done');
      await exited;

      expect(program).toMatch(/^node/);
      const detail = await client.call('exchanges.get', { id });
      expect(detail.clientConnection?.program).toMatchObject({ name: program, pid: child.pid });
      const { programs } = await client.call('programs.list', { session: session.id });
      expect(programs).toEqual([{ name: program, exchanges: 1, errors: 0 }]);
      const count = (filter: string): Promise<{ count: number }> =>
        client.call('exchanges.count', { session: session.id, filter });
      expect(await count('app:node')).toEqual({ count: 1 });
      expect(await count('app:curl')).toEqual({ count: 0 });
      expect(await count(TRAFFIC_SOURCES.programs.filter)).toEqual({ count: 1 });
      expect(await count(TRAFFIC_SOURCES.browsers.filter)).toEqual({ count: 0 });
    } finally {
      child.kill();
      await weir.stop();
      origin.closeAllConnections();
      origin.close();
    }
  },
);
