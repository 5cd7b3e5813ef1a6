import type { ConnectionCore } from './connection-core.ts';
import { Flag, Http2Error, Setting } from './constants.ts';
import type { Fault } from './events.ts';
import { readSettings } from './peer-settings.ts';

/** Octets of a GOAWAY's debug data that are kept for a person. */
const DEBUG_BYTES = 256;

/** Takes the frames that carry no message: PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE. */
export class ControlFrames<Owner> {
  readonly #core: ConnectionCore<Owner>;

  constructor(core: ConnectionCore<Owner>) {
    this.#core = core;
  }

  /** RFC 9113 §6.3: parsed and ignored. */
  onPriority(id: number, bytes: Buffer, start: number, end: number): boolean {
    const core = this.#core;
    if (id === 0) return core.fail(Http2Error.protocolError, 'PRIORITY on stream 0.');
    if (!core.allow('ignoredFrames')) return false;
    if (end - start !== 5) return this.#resetId(id, Http2Error.frameSizeError, 'PRIORITY of a wrong length.');
    const dependsOn = bytes.readUInt32BE(start) & 0x7fff_ffff;
    if (dependsOn === id) return this.#resetId(id, Http2Error.protocolError, 'A stream depends on itself.');
    return true;
  }

  /** RFC 9113 §6.4. */
  onRstStream(id: number, bytes: Buffer, start: number, end: number): boolean {
    const core = this.#core;
    if (end - start !== 4) return core.fail(Http2Error.frameSizeError, 'RST_STREAM of a wrong length.');
    if (id === 0) return core.fail(Http2Error.protocolError, 'RST_STREAM on stream 0.');
    if (core.streams.isIdle(id)) return core.fail(Http2Error.protocolError, `RST_STREAM on idle stream ${String(id)}.`);
    const stream = core.streams.get(id);
    if (stream !== undefined) {
      const code = bytes.readUInt32BE(start);
      core.close(stream, 'peer-reset');
      core.events.onReset(stream, code, true, '');
    }
    return core.allow('resets');
  }

  /** RFC 9113 §6.5. */
  onSettings(flags: number, id: number, bytes: Buffer, start: number, end: number): boolean {
    const core = this.#core;
    if (id !== 0) return core.fail(Http2Error.protocolError, 'SETTINGS on a stream.');
    if ((flags & Flag.ack) !== 0) {
      core.receiving.acknowledge(core.streams.all());
      return end === start || core.fail(Http2Error.frameSizeError, 'SETTINGS with ACK and a payload.');
    }
    if (!core.allow('settingsFrames')) return false;
    const fault = readSettings(bytes, start, end, core.role === 'client', (name, value) => this.#apply(name, value));
    if (fault !== null) return core.failFor(fault);
    core.settingsSeen = true;
    core.writer.settingsAck();
    core.events.onSettings();
    return core.failure === null;
  }

  #apply(name: number, value: number): Fault | null {
    const core = this.#core;
    switch (name) {
      case Setting.headerTableSize:
        core.encoder.setPeerTableSize(value);
        return null;
      case Setting.maxConcurrentStreams:
        core.peerMaxStreams = value;
        return null;
      case Setting.initialWindowSize:
        return core.sending.setInitialWindow(value, core.streams.all());
      case Setting.maxFrameSize:
        core.sending.setMaxFrame(value);
        return null;
      case Setting.enableConnectProtocol:
        core.peerTakesConnect = value === 1;
        return null;
      default:
        return null;
    }
  }

  /** RFC 9113 §6.7. */
  onPing(flags: number, id: number, bytes: Buffer, start: number, end: number): boolean {
    const core = this.#core;
    if (end - start !== 8) return core.fail(Http2Error.frameSizeError, 'PING of a wrong length.');
    if (id !== 0) return core.fail(Http2Error.protocolError, 'PING on a stream.');
    if (!core.allow('pings')) return false;
    if ((flags & Flag.ack) === 0) core.writer.ping(bytes, start, true);
    return true;
  }

  /** RFC 9113 §6.8. */
  onGoaway(id: number, bytes: Buffer, start: number, end: number): boolean {
    const core = this.#core;
    if (id !== 0) return core.fail(Http2Error.protocolError, 'GOAWAY on a stream.');
    if (end - start < 8) return core.fail(Http2Error.frameSizeError, 'GOAWAY of a wrong length.');
    const lastStream = bytes.readUInt32BE(start) & 0x7fff_ffff;
    const code = bytes.readUInt32BE(start + 4);
    core.goawayReceived = true;
    const debug = bytes.toString('latin1', start + 8, Math.min(end, start + 8 + DEBUG_BYTES));
    core.events.onGoaway(lastStream, code, debug);
    // Streams that the peer did not and will not look at: as good as refused.
    const reason = 'The peer is going away and did not look at this stream.';
    for (const stream of core.streams.all()) {
      if (stream.id <= lastStream || !core.streams.isOwn(stream.id)) continue;
      core.close(stream, 'peer-reset');
      core.events.onReset(stream, Http2Error.refusedStream, true, reason);
    }
    return core.failure === null;
  }

  /** RFC 9113 §6.9. */
  onWindowUpdate(id: number, bytes: Buffer, start: number, end: number): boolean {
    const core = this.#core;
    if (end - start !== 4) return core.fail(Http2Error.frameSizeError, 'WINDOW_UPDATE of a wrong length.');
    if (!core.allow('windowUpdates')) return false;
    const increment = bytes.readUInt32BE(start) & 0x7fff_ffff;
    if (id === 0) {
      if (increment === 0) return core.fail(Http2Error.protocolError, 'WINDOW_UPDATE of 0.');
      const fault = core.sending.growConnection(increment);
      return fault === null || core.failFor(fault);
    }
    if (core.streams.isIdle(id))
      return core.fail(Http2Error.protocolError, `WINDOW_UPDATE on idle stream ${String(id)}.`);
    const stream = core.streams.get(id);
    if (stream === undefined) return true;
    if (increment === 0) core.streamError(stream, Http2Error.protocolError, 'WINDOW_UPDATE of 0.');
    else {
      const fault = core.sending.growStream(stream, increment);
      if (fault !== null) core.streamError(stream, fault.code, fault.message);
    }
    return core.failure === null;
  }

  /** A stream error on a stream that may not exist. */
  #resetId(id: number, code: number, reason: string): boolean {
    const core = this.#core;
    const stream = core.streams.get(id);
    if (stream !== undefined) core.streamError(stream, code, reason);
    else if (core.streams.isIdle(id)) return core.fail(code, reason);
    else core.writer.rstStream(id, code);
    return core.failure === null;
  }
}
