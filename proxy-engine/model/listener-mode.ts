/** What a listener does with a connection; `SPEC` of the command line. */
export type ListenerMode =
  | { readonly kind: 'proxy' }
  | {
      readonly kind: 'reverse';
      /** `h2c`: HTTP/2 without TLS, by prior knowledge. */
      readonly scheme: 'http' | 'https' | 'h2c';
      readonly host: string;
      readonly port: number;
      readonly basePath: string;
    }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'udp'; readonly host: string; readonly port: number };
