/** The ASN.1 part of node-forge alone: the whole package takes ten times as long to load and eight megabytes. */
declare module 'node-forge/lib/asn1.js' {
  import type { asn1 } from 'node-forge';

  const part: typeof asn1;
  export default part;
}
