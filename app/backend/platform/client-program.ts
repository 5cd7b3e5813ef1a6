import { linuxPrograms } from './client-program-linux.ts';
import { macosPrograms } from './client-program-macos.ts';
import { windowsPrograms } from './client-program-windows.ts';

/** The program at the other end of a connection of this computer. */
export interface ClientProgram {
  /** As people know it: the file name of the program, without `.exe`. */
  readonly name: string;
  readonly pid: number;
  /** Empty when the system does not tell. */
  readonly path: string;
}

/**
 * Finds who holds the client's end of loopback connections.
 * @param ports TCP ports of the clients' ends
 * @returns by port; ports that nobody was found for are left out
 */
export type FindPrograms = (ports: ReadonlySet<number>) => Promise<ReadonlyMap<number, ClientProgram>>;

/** The way of this system; null where there is none. */
export function programFinder(platform: NodeJS.Platform): FindPrograms | null {
  switch (platform) {
    case 'linux':
      return linuxPrograms();
    case 'darwin':
      return macosPrograms;
    case 'win32':
      return windowsPrograms;
    default:
      return null;
  }
}
