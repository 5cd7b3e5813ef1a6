/** What a listener does with a connection; `SPEC` of the command line. */
export type ListenerMode =
  | { readonly kind: 'proxy' }
  | {
      readonly kind: 'reverse';
      readonly scheme: 'http' | 'https';
      readonly host: string;
      readonly port: number;
      readonly basePath: string;
    }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };
