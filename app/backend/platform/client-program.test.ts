import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { linuxPrograms, socketsOf } from './client-program-linux.ts';
import { readLsof } from './client-program-macos.ts';
import { readNetstat, readTasklist } from './client-program-windows.ts';
import { programFinder } from './client-program.ts';

const LINUX_TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:21EE 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 31015 1 0000000000000000 100 0 0 10 0
   1: 0100007F:B3A2 0100007F:21EE 01 00000000:00000000 02:000003E8 00000000  1000        0 77001 2 0000000000000000 20 4 30 10 -1
   2: 0100007F:B3A4 0100007F:21EE 06 00000000:00000000 03:00001388 00000000     0        0 0 3 0000000000000000
`;

test('Linux: the table of sockets gives the inode of a client port, unless its owner has closed it', () => {
  const ports = new Set([0xb3a2, 0xb3a4]);
  expect([...socketsOf(LINUX_TABLE, ports)]).toEqual([['77001', 0xb3a2]]);
});

test('macOS: the output of lsof gives program and process of the local end', () => {
  const output = [
    'p501',
    'R1',
    'cSafari',
    'f12',
    'n127.0.0.1:52001->127.0.0.1:8686',
    'p777',
    'ccurl',
    'f5',
    'n[::1]:52002->[::1]:8686',
    '',
  ];
  expect([...readLsof(output.join('\n'), new Set([52_001, 52_002, 8_686]))]).toEqual([
    [52_001, { name: 'Safari', pid: 501, path: '' }],
    [52_002, { name: 'curl', pid: 777, path: '' }],
  ]);
});

test('Windows: netstat gives the process of a port in every language, tasklist its name', () => {
  const netstat = `
Aktive Verbindungen

  Proto  Lokale Adresse         Remoteadresse          Status           PID
  TCP    127.0.0.1:8686         0.0.0.0:0              ABHÖREN          4
  TCP    127.0.0.1:52001        127.0.0.1:8686         HERGESTELLT      9120
  TCP    [::1]:52002            [::1]:8686             HERGESTELLT      44
`;
  expect([...readNetstat(netstat.replaceAll('\n', '\r\n'), new Set([8_686, 52_001, 52_002]))]).toEqual([
    [52_001, 9_120],
    [52_002, 44],
  ]);
  expect(readTasklist('"msedge.exe","9120","Console","1","1,2 K"\r\n"System","4","Services","0","8 K"\r\n')).toEqual(
    new Map([
      [9_120, 'msedge'],
      [4, 'System'],
    ]),
  );
});

test.runIf(process.platform === 'linux')(
  'Linux: a running client is found by its port, and nobody for a foreign one',
  async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const script = `require('node:net').connect(${String(port)}, '127.0.0.1')`;
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    try {
      const [socket] = (await once(server, 'connection')) as [Socket];
      const clientPort = socket.remotePort ?? 0;
      const found = await linuxPrograms()(new Set([clientPort, 1]));
      expect([...found]).toEqual([
        [
          clientPort,
          {
            name: expect.stringMatching(/^node/) as string,
            pid: child.pid,
            path: expect.stringContaining('node') as string,
          },
        ],
      ]);
      socket.destroy();
    } finally {
      child.kill();
      server.close();
    }
  },
);

test('a system that nobody wrote it for has no finder', () => {
  expect(programFinder('aix')).toBeNull();
  expect(programFinder('win32')).not.toBeNull();
});
