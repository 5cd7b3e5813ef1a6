import { main } from './main.ts';
import { endWithReader } from './output.ts';

// Entry of the `weir` command.
endWithReader();
const exitCode = await main(process.argv.slice(2));
// Whatever was printed is with the system before the process ends, also into a pipe.
process.stdout.write('', () => process.exit(exitCode));
