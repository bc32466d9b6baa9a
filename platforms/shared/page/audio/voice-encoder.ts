/** Encodes one person's sound with Opus in the browser, where this costs little and the result is small. */
import { type Heard, READ_RATE } from './track-reader.ts'

/** Length of one packet, as browsers send them. */
export const PACKET_MS = 20
const SETTINGS: AudioEncoderConfig = {
  codec: 'opus',
  sampleRate: READ_RATE,
  numberOfChannels: 1,
  // Speech of full bandwidth is clear from 24 kbit/s on; the meeting's own packets have about as much.
  bitrate: 32_000,
  opus: { frameDuration: PACKET_MS * 1000 },
}
/** A piece that is further from its expected time than this begins a new stretch: sound is missing in between. */
const SLIP_MS = 60

export interface VoicePacket {
  /** UTC milliseconds of the first sample. */
  at: number
  opus: Uint8Array
}

export type VoiceEncoder = ReturnType<typeof createVoiceEncoder>

export function createVoiceEncoder(emit: (packet: VoicePacket) => void) {
  let run: Run | null = null

  function end(): void {
    const ended = run
    run = null
    if (ended?.encoder.state !== 'configured') return
    // The last packet is filled with silence.
    ended.encoder
      .flush()
      .then(() => ended.encoder.close())
      .catch(() => {})
  }

  function begin(at: number): Run {
    let packets = 0
    // A new encoder for each stretch: an encoder continues its time over gaps.
    const encoder = new AudioEncoder({
      output(chunk) {
        const opus = new Uint8Array(chunk.byteLength)
        chunk.copyTo(opus)
        emit({ at: at + packets++ * PACKET_MS, opus })
      },
      error: (error) => console.warn('A voice could not be encoded', error),
    })
    encoder.configure(SETTINGS)
    return { encoder, at, samples: 0 }
  }

  return {
    encode({ samples, at }: Heard): void {
      if (run && Math.abs(at - run.at - (run.samples / READ_RATE) * 1000) > SLIP_MS) end()
      run ??= begin(at)
      if (run.encoder.state !== 'configured') return
      const data = new AudioData({
        format: 'f32-planar',
        sampleRate: READ_RATE,
        numberOfFrames: samples.length,
        numberOfChannels: 1,
        timestamp: Math.round((run.samples / READ_RATE) * 1e6),
        data: samples as Float32Array<ArrayBuffer>,
      })
      run.encoder.encode(data)
      data.close()
      run.samples += samples.length
    },
    /** The next piece begins a new stretch. */
    end,
  }
}

interface Run {
  encoder: AudioEncoder
  at: number
  /** Given so far. */
  samples: number
}
