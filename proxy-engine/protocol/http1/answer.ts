/** An answer that Weir itself gives. */
export interface Answer {
  readonly status: number;
  /** Names and values; Date, Content-Length and Connection are added by the writer. */
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
  throw new Error(String(answer.status));
}

/** The phrase of a status (RFC 9110 §15); empty for one that is not registered. */
export function reasonPhrase(status: number): string {
  throw new Error(String(status));
}
