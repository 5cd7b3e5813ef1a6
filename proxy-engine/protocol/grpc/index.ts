export { Base64Pieces } from './base64-pieces.ts';
export { GrpcReader, type GrpcDialect, type GrpcSink, type GrpcStart } from './grpc-reader.ts';
