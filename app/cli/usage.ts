/** The command line was wrong: exit code 2. The message says what, and how it is right. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command was right and did not succeed: exit code 1. The message is for the person who ran it. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Help of each command: its usage, and what its options mean. */
export const HELP = {
  open: `Usage: weir [open] [FILE] [--data DIR] [--browser]

Opens Weir's window. Where Electron's program is missing, or with --browser, Weir runs without a window of its own and
opens the inspector in the default browser. A Weir that runs on the data folder already is shown instead of a new one.

  FILE          a .weir or .har file: it is imported into a session of its own, and that one is shown
  --data DIR    data folder (default: your platform's place, or WEIR_DATA)
  --browser     the inspector in the browser, even where a window is possible
`,
  serve: `Usage: weir serve [--listen H:P]... [--mode SPEC]... [--ui H:P | --no-ui] [--data DIR] [--workers N]
                  [--config FILE] [--insecure] [--origin-ca FILE]... [--cert FILE --key FILE] [--no-capture] [--json]

Runs Weir without a window until SIGINT or SIGTERM. On a data folder that another Weir runs on, its listeners are added
to that Weir and taken away again when this command ends.

  --listen H:P      address of a listener (default 127.0.0.1:8686; port 0 picks a free one)
  --mode SPEC       proxy (default), reverse:URL, tcp:HOST:PORT or udp:HOST:PORT; an @[HOST:]PORT behind it is a
                    listener of its own, otherwise it takes the next --listen
  --ui H:P          address of the inspector (default 127.0.0.1:8687)
  --no-ui           no inspector
  --data DIR        data folder (default: your platform's place, or WEIR_DATA)
  --workers N       engine threads (default 1)
  --config FILE     settings for this run, a JSON object with keys of settings.json
  --insecure        origins' certificates are not verified
  --origin-ca FILE  PEM certificates to trust towards origins, beside the system's
  --cert FILE, --key FILE
                    PEM certificate and key of reverse listeners and of TLS to the proxy itself
  --no-capture      records nothing
  --json            prints one line of JSON on standard output once every listener accepts
`,
  run: `Usage: weir run [--data DIR] [--origin-ca FILE]... -- COMMAND [ARG...]

Runs a command through Weir: proxy and trust are set in its environment. Uses the Weir that runs on the data folder, or
one that lives as long as the command. The exit code is the command's.

  --data DIR        data folder (default: your platform's place, or WEIR_DATA)
  --origin-ca FILE  PEM certificates to trust towards origins, beside the system's
`,
  list: `Usage: weir list [--data DIR] [--session S] [--filter Q] [--limit N] [--json]

Lists exchanges, oldest first; also while a Weir is writing them.

  --data DIR      data folder (default: your platform's place, or WEIR_DATA)
  --session S     a session's number, its name, or "current" (default: every session but sample traffic)
  --filter Q      as in the inspector, for example 'host:api status:>=400'
  --limit N       the newest N
  --json          one JSON object a line
`,
  show: `Usage: weir show ID [--data DIR] [--json | --raw request|response | --body request|response] [--sent]
       weir show ID --messages [--json] [--data DIR]
       weir show ID --frames [--json] [--data DIR]

Shows one exchange.

  --data DIR      data folder (default: your platform's place, or WEIR_DATA)
  --json          everything that is known, as one JSON object
  --raw SIDE      the exact bytes of head and body
  --body SIDE     the body, decoded from its content encoding
  --sent          as forwarded instead of as received
  --messages      its messages, one a line: of a WebSocket, an event stream, gRPC, or datagrams; gRPC ones with the
                  names of their fields where \`weir protos\` knows the call
  --frames        the frames of its HTTP/2 connections, one a line, * at those of its own stream; flags, settings, errors
                  and increments by the names of RFC 9113
`,
  export: `Usage: weir export [--data DIR] [--session S] [--filter Q] --format har|weir|curl [-o FILE]
                   [--redact] [--redact-header NAME]... [--redact-cookie NAME]... [--redact-param NAME]...
                   [--redact-json PATH]... [--preview]

Writes exchanges in a format of other programs to a file or to standard output.

  --data DIR      data folder (default: your platform's place, or WEIR_DATA)
  --session S     a session's number, its name, or "current" (default: every session but sample traffic)
  --filter Q      as in the inspector
  --format F      har (HAR 1.2), weir (everything that is known, for another Weir) or curl (a shell script of curl
                  commands)
  -o FILE         a file instead of standard output
  --redact        blanks what usually carries credentials: authorization and cookies, fields like x-api-key, parameters
                  like access_token and password
  --redact-header NAME
                  blanks a header field; cookie and set-cookie keep the names of cookies
  --redact-cookie NAME
                  blanks a cookie; * for all
  --redact-param NAME
                  blanks a parameter of URLs and of forms in bodies
  --redact-json PATH
                  blanks values in JSON bodies, events and messages: $.user.token, $..password, items[*].id; without $
                  at any depth. What should be searched and cannot be read is left out, and said on standard error
  --preview       says what would leave and what is blanked, and writes nothing
`,
  import: `Usage: weir import FILE [--data DIR]

Reads a HAR file, a .weir file of another Weir or flows of mitmproxy into a session of its own and says what it left
out. Uses the Weir that runs on the data folder, or one that lives as long as the command.

  --data DIR      data folder (default: your platform's place, or WEIR_DATA)
`,
  replay: `Usage: weir replay ID [--data DIR] [--set header:NAME=VALUE]... [--pace PACE] [--origin-ca FILE]... [--json]

Sends the request of an exchange again, as it was captured: over HTTP/1 the same bytes, over HTTP/2 the same fields in
the same order. Of a WebSocket it opens another one, sends the messages that the client had sent and closes as it had closed;
Ctrl-C closes earlier. The answer is a new exchange. Uses the Weir that runs on the data folder, or one that lives as long as
the command.

  --data DIR      data folder (default: your platform's place, or WEIR_DATA)
  --set header:NAME=VALUE
                  another value for a header field, in its place; a new field at the end where there is none
  --pace PACE     when each message of a WebSocket is sent: \`answers\` once as many have come from the origin as the first
                  time (the default), \`recorded\` with the gaps that there were, \`fast\` without waiting
  --origin-ca FILE
                  PEM certificates to trust towards origins, beside the system's
  --json          the new exchange as one JSON object, as \`weir list --json\` writes it
`,
  bench: `Usage: weir bench [PROFILE...] [--full] [--ramp] [--sweep] [--rate N] [--peer NAME]... [--trials N] [--seconds N]
                  [--json FILE] [--csv FILE] [--resume FILE] [--compare FILE] [--published] [--list]

Measures Weir, and other proxies that are installed here, on this machine: loads, origins and products are processes of
their own on loopback. Without a profile the quick set, which takes less than a minute. Prints a page of Markdown; what it is
doing goes to standard error. SIGINT ends the run and prints what is finished.

  PROFILE         a profile of --list, a family of profiles, or all
  --list          the profiles by family, and which products are here
  --full          3 trials of 10 seconds; without a profile the full set and ramps of three profiles: up to an hour
  --ramp          8, 16, 32 and 64 requests under way: the last load within the limits of errors and p99, and the peak;
                  one trial of 3 seconds each, of three profiles unless others are named
  --sweep         the same with 1, 10, 100 and 1,000 connections
  --rate N        N operations a second begun by the clock, latency from the intended time, instead of a closed loop;
                  where the rate is not achieved within 1 %, no latency is quoted
  --peer NAME     only Weir and this product, by its id in --list; may be repeated
  --trials N      trials of each product in each profile (quick: 2)
  --seconds N     length of each measured window (quick: 1)
  --json FILE     the result as JSON, also after each profile while the run goes on
  --csv FILE      every trial as comma-separated values
  --resume FILE   goes on with the run in this --json FILE: what it has finished is not measured again. Without --json
                  the result goes there too; where there is no such file, the run begins there
  --compare FILE  says what became of each profile since this --json FILE: Weir's standing to the same rival, now divided
                  by then. Exit code 3 when one fell below 0.90
  --published     beside each profile what the makers of other proxies published for it, measured on other hardware
`,
  protos: `Usage: weir protos add FILE... [--data DIR]
       weir protos list [--json] [--data DIR]
       weir protos remove NAME [--data DIR]

Descriptions of Protocol Buffers: with them messages of gRPC, gRPC-Web and Connect and bodies of protobuf are shown with
the names of their fields, here and in the inspector. Files that a file imports are added like it, in any order; those of
google/protobuf are there. A file of the same name is replaced. A Weir that runs on the data folder uses them at once.

  FILE            a .proto file, or a set of descriptors (protoc --include_imports --descriptor_set_out=FILE, buf build
                  -o FILE); or a folder: every such file in it, named from there
  NAME            as list shows it
  --json          one JSON object a line
  --data DIR      data folder (default: your platform's place, or WEIR_DATA)
`,
  ca: `Usage: weir ca show [--data DIR]
       weir ca export [--format pem|der|p12] [--with-key] [-o FILE] [--data DIR]
       weir ca trust [STORE] [--data DIR]
       weir ca untrust [STORE] [--all] [--data DIR]
       weir ca rotate [--move-trust] [--data DIR]
       weir ca import CERTIFICATE [KEY] [--move-trust] [--data DIR]
       weir ca kept [--data DIR]
       weir ca forget NAME [--move-trust] [--data DIR]

Shows or exports the certificate authority; the first use makes it. trust lets stores of trust accept it, untrust takes
it out again: the browsers' databases and the user's own store at once, the machine's by the line that is printed.
rotate makes a new authority, import takes one of yours: PEM (one file or two), DER with its key, or PKCS#12, encrypted
under the password in WEIR_KEY_PASSWORD. A Weir that runs uses it from the next connection on. The one before is kept
in the data folder: kept lists those and who still trusts them, forget deletes one with its key.

  --format F      pem (default), der or p12
  STORE           system, nss (every browser's on Linux), or one by its id (default: all of them)
  --all           authorities of other Weirs too
  --move-trust    stores that trust the old authority trust the new one instead, as far as Weir may change them
  --with-key      certificate and key, the key under the password in WEIR_KEY_PASSWORD (pem and p12)
  -o FILE         a file instead of standard output
  --data DIR      data folder (default: your platform's place, or WEIR_DATA)
`,
  'system-proxy': `Usage: weir system-proxy on [--bypass HOST]... [--chain] [--data DIR] [--json]
       weir system-proxy off|status|restore [--data DIR] [--json]

Sends the programs of this user to the Weir that runs on the data folder, and back: Windows, macOS, GNOME and its
relatives, KDE Plasma. What was before is put back by off, when that Weir ends, after a crash, and at the next start.
restore does the same where no Weir runs. What somebody else changed meanwhile stays as it is.

  --bypass HOST   a host, *.suffix or range that is reached without the proxy (default: loopback)
  --chain         another program's proxy becomes the upstream proxy until this one is turned off
  --data DIR      data folder (default: your platform's place, or WEIR_DATA)
  --json          one JSON object on standard output
`,
  doctor: `Usage: weir doctor [--data DIR]

Looks at everything that Weir needs on this machine and says what to mend. Changes nothing.

  --data DIR      data folder (default: your platform's place, or WEIR_DATA)
`,
} as const;

export type CommandName = keyof typeof HELP;

export const OVERVIEW = `Weir records the traffic of your programs and shows it.

Usage: weir [COMMAND] [OPTION]...

  open      the inspector in a window, or in the browser (default)
  serve     run without a window
  run       run one command through Weir
  list      list recorded exchanges
  show      show one exchange
  export    write exchanges as HAR or as curl commands
  import    read a HAR file, a .weir file or flows of mitmproxy
  replay    send a recorded request, or a WebSocket's messages, again
  protos    descriptions of Protocol Buffers, for gRPC messages with names
  ca        show, export, trust, untrust, rotate or import the certificate authority
  system-proxy
            send the programs of this user through Weir, and back
  doctor    look for what could be wrong on this machine

weir COMMAND --help tells more. weir --version tells the version.
`;

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(HELP, name);
}
