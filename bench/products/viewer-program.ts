/**
 * Somebody who has the inspector open: follows the list and the status of a running Weir as the page does. Argument: the page's URL with
 * its code. Prints `ready` when both streams are open; ends on SIGTERM.
 */
import { openInspector, statusOf } from '../inspector-client.ts';

const client = await openInspector(process.argv[2] ?? '');
const { session } = await statusOf(client);
client.stream('app.status', {}, { items: () => undefined, gap: () => undefined });
client.stream('exchanges.changed', { session: session.id }, { items: () => undefined, gap: () => undefined });
process.stdout.write('ready\n');
