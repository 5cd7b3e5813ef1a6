import type { PackedFrame } from '../../../../proxy-engine/batches.ts';
import { http2ErrorName, http2SettingName } from '#contract';

type Fact = readonly [name: string, value: string];

const SETTING_BYTES = 6;
/** Bits of a stream's number, and of an increment (RFC 9113 §4.1, §6.9). */
const NUMBER_BITS = 0x7fff_ffff;

/**
 * What a frame says by itself. A payload that is shorter than its type asks for says nothing.
 *
 * @see RFC 9113 §6
 */
export function frameFacts({ type, detail }: Pick<PackedFrame, 'type' | 'detail'>): readonly Fact[] {
  switch (type) {
    case 0x2:
      return detail.length < 5 ? [] : priority(detail);
    case 0x3:
      return detail.length < 4 ? [] : [['error', http2ErrorName(detail.readUInt32BE(0))]];
    case 0x4:
      return settings(detail);
    case 0x6:
      return detail.length < 8 ? [] : [['data', detail.toString('hex', 0, 8)]];
    case 0x7:
      return detail.length < 8 ? [] : goaway(detail);
    case 0x8:
      return detail.length < 4 ? [] : [['increment', String(detail.readUInt32BE(0) & NUMBER_BITS)]];
    case 0xa:
      return detail.length < 2 ? [] : alternatives(detail);
    case 0x10:
      return detail.length < 4 ? [] : priorityUpdate(detail);
    case 0x0:
    case 0x1:
    case 0x9:
      return [];
    default:
      return detail.length === 0 ? [] : [['payload', detail.toString('hex')]];
  }
}

function settings(detail: Buffer): readonly Fact[] {
  const facts: Fact[] = [];
  for (let at = 0; at + SETTING_BYTES <= detail.length; at += SETTING_BYTES) {
    facts.push([http2SettingName(detail.readUInt16BE(at)), String(detail.readUInt32BE(at + 2))]);
  }
  return facts;
}

function priority(detail: Buffer): readonly Fact[] {
  const dependency = detail.readUInt32BE(0);
  return [
    ['depends on', String(dependency & NUMBER_BITS)],
    ['weight', String(detail.readUInt8(4) + 1)],
    ...(dependency > NUMBER_BITS ? [['exclusive', 'yes'] as const] : []),
  ];
}

function goaway(detail: Buffer): readonly Fact[] {
  return [
    ['last stream', String(detail.readUInt32BE(0) & NUMBER_BITS)],
    ['error', http2ErrorName(detail.readUInt32BE(4))],
    ...(detail.length > 8 ? [['debug data', detail.toString('latin1', 8)] as const] : []),
  ];
}

function priorityUpdate(detail: Buffer): readonly Fact[] {
  return [
    ['stream', String(detail.readUInt32BE(0) & NUMBER_BITS)],
    ['priority', detail.toString('latin1', 4)],
  ];
}

/** RFC 7838 §4. */
function alternatives(detail: Buffer): readonly Fact[] {
  return [['alternatives', detail.toString('latin1', 2 + detail.readUInt16BE(0))]];
}
