import { formatAddress } from './addresses.ts';

export type ListenErrorCode = 'port-taken' | 'not-permitted' | 'bad-address' | 'failed';

/** An address cannot be listened on. The message says what, why and what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code: ListenErrorCode;
  readonly host: string;
  readonly port: number;

  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    const code = listenErrorCode(cause.code);
    super(`Cannot listen on ${formatAddress(host, port)}: ${explain(code, host, port, cause)}`, { cause });
    this.code = code;
    this.host = host;
    this.port = port;
  }
}

function listenErrorCode(code: string | undefined): ListenErrorCode {
  switch (code) {
    case 'EADDRINUSE':
      return 'port-taken';
    case 'EACCES':
    case 'EPERM':
      return 'not-permitted';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
    case 'ERR_SOCKET_BAD_PORT':
      return 'bad-address';
    default:
      return 'failed';
  }
}

function explain(code: ListenErrorCode, host: string, port: number, cause: NodeJS.ErrnoException): string {
  switch (code) {
    case 'port-taken':
      return 'another program uses this port. Close that program, or choose another port (0 lets the system choose).';
    case 'not-permitted':
      return `this user may not use port ${String(port)}. Choose a port above 1023, or allow it in the system.`;
    case 'bad-address':
      return `${host} is no address of this machine (${cause.code ?? ''}). Use 127.0.0.1 for this machine alone or 0.0.0.0 for every network.`;
    case 'failed':
      return `${cause.message}.`;
  }
}
