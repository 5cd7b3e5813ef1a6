/** An answer that Weir itself gives. */
export interface Answer {
  readonly status: number;
  /** Names and values in order; Content-Length and Connection are added by the writer. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** The method that is answered: HEAD gets the length without the body, CONNECT's 2xx neither. Empty when unknown. */
  readonly requestMethod: string;
  readonly keepAlive: boolean;
  /** Minor version of the client, which decides how `keepAlive` is said. */
  readonly clientMinorVersion: 0 | 1;
}

/** Head and body of an answer in one buffer, ready for the socket. */
export function writeAnswer(answer: Answer): Buffer {
  const { status, body } = answer;
  const isTunnel = answer.requestMethod === 'CONNECT' && status >= 200 && status < 300;
  const hasLength = !isTunnel && status >= 200 && status !== 204;
  const hasBody = hasLength && status !== 304 && answer.requestMethod !== 'HEAD';
  let head = `HTTP/1.1 ${String(status)} ${reasonPhrase(status)}\r\n`;
  for (const [name, value] of answer.fields) head += `${name}: ${oneLine(value)}\r\n`;
  if (hasLength) head += `Content-Length: ${String(body.length)}\r\n`;
  if (!isTunnel) head += connectionLine(answer.keepAlive, answer.clientMinorVersion);
  head += '\r\n';
  return hasBody ? Buffer.concat([Buffer.from(head, 'latin1'), body]) : Buffer.from(head, 'latin1');
}

/** How a server says whether the connection persists, when it has to say so (RFC 9112 §9.3). */
function connectionLine(keepAlive: boolean, clientMinorVersion: 0 | 1): string {
  if (!keepAlive) return 'Connection: close\r\n';
  return clientMinorVersion === 0 ? 'Connection: keep-alive\r\n' : '';
}

/** A value that cannot end its line: what came from a peer may stand in an answer of ours. */
function oneLine(value: string): string {
  return value.replace(/[\0-\x08\x0a-\x1f\x7f]/g, ' ');
}

/** The phrase of a status (RFC 9110 §15); empty for one that is not registered. */
export function reasonPhrase(status: number): string {
  return REASONS[status] ?? '';
}

const REASONS: Readonly<Record<number, string>> = {
  100: 'Continue',
  101: 'Switching Protocols',
  102: 'Processing',
  103: 'Early Hints',
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  203: 'Non-Authoritative Information',
  204: 'No Content',
  205: 'Reset Content',
  206: 'Partial Content',
  207: 'Multi-Status',
  208: 'Already Reported',
  226: 'IM Used',
  300: 'Multiple Choices',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  305: 'Use Proxy',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  418: "I'm a teapot",
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  506: 'Variant Also Negotiates',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
  510: 'Not Extended',
  511: 'Network Authentication Required',
};
