export { BENCH_FAMILIES, BENCH_LADDERS } from './bench.ts';
export type * from './bench.ts';
export { BENCH_LADDER_PROFILES, BENCH_MODES, MAX_BENCH_CHOICES } from './bench-calls.ts';
export type * from './bench-calls.ts';
export * from './bench-ratios.ts';
export { compare, comparisonText, REGRESSION_BELOW } from './bench-comparison.ts';
export type { BenchChange, BenchComparison } from './bench-comparison.ts';
export { toCsv } from './bench-csv.ts';
export { LADDER_LOADS, laddersText, limitsText, loadsOf, stepText, sustainedText } from './bench-ladders.ts';
export { toMarkdown } from './bench-report.ts';
export type * from './calls.ts';
export type * from './authority-calls.ts';
export type * from './frames.ts';
export type * from './messages.ts';
export type * from './import.ts';
export { blanksAnything, NO_REDACTION, USUAL_REDACTION } from './export.ts';
export type * from './export.ts';
export type * from './replay.ts';
export * from './conversation.ts';
export { maySendCloseCode } from '../../proxy-engine/model/close-code.ts';
export { MAX_CERTIFICATE_BYTES } from './client-certificate-calls.ts';
export type * from './client-certificate-calls.ts';
export { MAX_PROTO_BYTES, MAX_PROTO_FILES, MAX_PROTO_PIECE_BYTES, PROTO_FILE_ENDS } from './proto-calls.ts';
export type * from './proto-calls.ts';
export type * from './setup-calls.ts';
export * from './protobuf/index.ts';
export * from './wire.ts';
export { ERROR_CODES } from '../../proxy-engine/model/error-code.ts';
export type { ErrorCode, ErrorPhase, ErrorSide, ExchangeError } from '../../proxy-engine/model/error-code.ts';
export { parseProxyUrl, parseUpstreamRule } from '../../proxy-engine/model/upstream-proxy.ts';
export { ANOMALY_CODES } from '../../proxy-engine/model/anomaly-code.ts';
export type { AnomalyCode } from '../../proxy-engine/model/anomaly-code.ts';
export type * from '../../proxy-engine/model/exchange.ts';
export type * from '../../proxy-engine/model/http2-frame.ts';
export {
  http2ErrorName,
  http2FlagNames,
  http2FrameName,
  http2SettingName,
} from '../../proxy-engine/model/http2-names.ts';
export type * from '../../proxy-engine/model/ids.ts';
export type * from '../../proxy-engine/model/llm.ts';
export { MESSAGE_KINDS, MESSAGE_MARKS } from '../../proxy-engine/model/message.ts';
export type { MessageFilter, MessageKind, MessageMark, MessageSummary } from '../../proxy-engine/model/message.ts';
export type * from '../../proxy-engine/model/protocol-name.ts';
export type * from '../../proxy-engine/model/timing.ts';
export type * from '../../proxy-engine/model/tls-facts.ts';
export type { ListenerConfig, ListenerInfo } from '../../proxy-engine/model/engine-config.ts';
export type { ListenerMode } from '../../proxy-engine/model/listener-mode.ts';
export { createContractClient } from './client.ts';
export type { ContractClient, StreamHandle, StreamListener } from './client.ts';
export { ContractError } from './contract-error.ts';
export { contractProtocols, createSocketCarrier } from './socket-carrier.ts';
export type { FilterError, FilterNode, FilterTerm, ParsedFilter } from './filter/ast.ts';
export { parseFilter } from './filter/parse.ts';
export { completeFilter } from './filter/complete.ts';
export type { FilterCandidate, FilterCompletion, KnownValues } from './filter/complete.ts';
export { exchangeUrl, isoMicroseconds, shortenMiddle } from './exchange-text.ts';
