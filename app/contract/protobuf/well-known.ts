import { isProtoScalar } from './schema.ts';
import type { ProtoField, ProtoType } from './schema.ts';

/*
 * The types that every compiler of Protocol Buffers brings along, and those in which gRPC tells what went wrong. One line a
 * message: its name, and `type name = number` for each field; `*` repeats, `<key>` makes a map.
 */
const LINES: readonly string[] = [
  'google.protobuf.Any: string type_url 1; bytes value 2',
  'google.protobuf.Duration: int64 seconds 1; int32 nanos 2',
  'google.protobuf.Empty:',
  'google.protobuf.FieldMask: string* paths 1',
  'google.protobuf.SourceContext: string file_name 1',
  'google.protobuf.Struct: google.protobuf.Value<string> fields 1',
  'google.protobuf.Value: int32 null_value 1; double number_value 2; string string_value 3; bool bool_value 4; google.protobuf.Struct struct_value 5; google.protobuf.ListValue list_value 6',
  'google.protobuf.ListValue: google.protobuf.Value* values 1',
  'google.protobuf.Timestamp: int64 seconds 1; int32 nanos 2',
  'google.protobuf.DoubleValue: double value 1',
  'google.protobuf.FloatValue: float value 1',
  'google.protobuf.Int64Value: int64 value 1',
  'google.protobuf.UInt64Value: uint64 value 1',
  'google.protobuf.Int32Value: int32 value 1',
  'google.protobuf.UInt32Value: uint32 value 1',
  'google.protobuf.BoolValue: bool value 1',
  'google.protobuf.StringValue: string value 1',
  'google.protobuf.BytesValue: bytes value 1',
  'google.rpc.Status: int32 code 1; string message 2; google.protobuf.Any* details 3',
  'google.rpc.ErrorInfo: string reason 1; string domain 2; string<string> metadata 3',
  'google.rpc.RetryInfo: google.protobuf.Duration retry_delay 1',
  'google.rpc.DebugInfo: string* stack_entries 1; string detail 2',
  'google.rpc.QuotaFailure: google.rpc.QuotaFailure.Violation* violations 1',
  'google.rpc.QuotaFailure.Violation: string subject 1; string description 2',
  'google.rpc.PreconditionFailure: google.rpc.PreconditionFailure.Violation* violations 1',
  'google.rpc.PreconditionFailure.Violation: string type 1; string subject 2; string description 3',
  'google.rpc.BadRequest: google.rpc.BadRequest.FieldViolation* field_violations 1',
  'google.rpc.BadRequest.FieldViolation: string field 1; string description 2; string reason 3; google.rpc.LocalizedMessage localized_message 4',
  'google.rpc.RequestInfo: string request_id 1; string serving_data 2',
  'google.rpc.ResourceInfo: string resource_type 1; string resource_name 2; string owner 3; string description 4',
  'google.rpc.Help: google.rpc.Help.Link* links 1',
  'google.rpc.Help.Link: string description 1; string url 2',
  'google.rpc.LocalizedMessage: string locale 1; string message 2',
];

/** Reads types of the notation above. */
export function typesOfLines(lines: readonly string[]): readonly ProtoType[] {
  return lines.map((line) => {
    const [name = '', rest = ''] = line.split(/:\s*/);
    const fields = rest.split('; ').filter((text) => text !== '');
    return { name, fields: fields.map(fieldOf) };
  });
}

function fieldOf(text: string): ProtoField {
  const [, word = '', more = '', name = '', number = ''] = /^([\w.]+)(\*|<\w+>)? (\w+) (\d+)$/.exec(text) ?? [];
  const key = more.slice(1, -1);
  return {
    number: Number(number),
    name,
    ...(isProtoScalar(word) ? { type: word } : { type: 'message', ref: word }),
    ...(more === '*' ? { repeated: true } : {}),
    ...(isProtoScalar(key) ? { key } : {}),
  };
}

/** They are there without being added, and mean what they mean whatever a file says. */
export const WELL_KNOWN_TYPES: readonly ProtoType[] = typesOfLines(LINES);

/** Files whose content is known, or only describes files; an import of one is never missing. */
export function isWellKnownFile(path: string): boolean {
  return /^google\/(?:protobuf\/(?:compiler\/)?\w+|rpc\/(?:status|error_details|code))\.proto$/.test(path);
}
