import { FLASH_INTERVAL_SECONDS, FLASH_SECONDS, LOOP_SECONDS } from './pictures.ts'

/**
 * The mock participants' voices: each a tone with two overtones that swells and pauses like speech. The fundamentals
 * stay inside one octave, so that no voice's overtone is another's fundamental and a recording can be measured for
 * who is heard, also when people talk at once.
 */

export const SAMPLE_RATE = 48_000
/** Opus frames of 20 ms, as every browser sends them. */
export const AUDIO_FRAME_MS = 20
export const SAMPLES_PER_FRAME = (SAMPLE_RATE * AUDIO_FRAME_MS) / 1000
/** The beep of the sync source. */
export const BEEP_HZ = 1000
/** RFC 6464: the level of silence, in -dBov. */
export const SILENT_LEVEL = 127

const LOOP_SAMPLES = SAMPLE_RATE * LOOP_SECONDS
const OVERTONES = [1, 0.45, 0.2]
const VOICE_AMPLITUDE = 0.22
const BEEP_AMPLITUDE = 0.4

/** The fundamental frequency of a look's voice in Hz: 200 to 388, whole numbers, so that the loop has no seam. */
export function voiceFrequency(look: number): number {
  return 200 + 16 * ((look * 5) % 12) + 4 * Math.floor(look / 12)
}

/** One loop of the voices of these looks together (and the beep), mono, -1 to 1. */
export function voiceSamples(looks: readonly number[], beep: boolean): Float32Array {
  const samples = new Float32Array(LOOP_SAMPLES)
  for (const look of looks) addVoice(samples, look)
  if (beep) addBeeps(samples)
  for (let i = 0; i < samples.length; i++) samples[i] = Math.max(-0.98, Math.min(0.98, samples[i]!))
  return samples
}

function addVoice(samples: Float32Array, look: number): void {
  const frequency = voiceFrequency(look)
  for (let i = 0; i < samples.length; i++) {
    const seconds = i / SAMPLE_RATE
    const angle = 2 * Math.PI * frequency * seconds
    let wave = 0
    for (let n = 0; n < OVERTONES.length; n++) wave += OVERTONES[n]! * Math.sin((n + 1) * angle)
    samples[i]! += VOICE_AMPLITUDE * wave * loudness(seconds, look)
  }
}

/** Whether this look's voice sounds at a time of the loop, or takes breath. */
export function isVoiced(look: number, seconds: number): boolean {
  return loudness(seconds, look) > 0
}

/** Syllables at 3.5 Hz, and after each seven a short pause for breath; the phase differs from look to look. */
function loudness(seconds: number, look: number): number {
  const syllables = seconds * 3.5 + (look % 7)
  if (Math.floor(syllables) % 7 === 6) return 0
  return 0.25 + 0.75 * Math.sin(Math.PI * (syllables % 1)) ** 2
}

function addBeeps(samples: Float32Array): void {
  const every = FLASH_INTERVAL_SECONDS * SAMPLE_RATE
  const length = Math.round(FLASH_SECONDS * SAMPLE_RATE)
  for (let start = 0; start < samples.length; start += every) {
    for (let i = 0; i < length; i++) {
      samples[start + i]! += BEEP_AMPLITUDE * Math.sin((2 * Math.PI * BEEP_HZ * i) / SAMPLE_RATE)
    }
  }
}

/** The RFC 6464 level of each 20 ms: 0 is the loudest possible, 127 silence. */
export function frameLevels(samples: Float32Array): number[] {
  const levels: number[] = []
  for (let start = 0; start + SAMPLES_PER_FRAME <= samples.length; start += SAMPLES_PER_FRAME) {
    let power = 0
    for (let i = start; i < start + SAMPLES_PER_FRAME; i++) power += samples[i]! ** 2
    const decibels = 10 * Math.log10(power / SAMPLES_PER_FRAME)
    levels.push(Math.min(SILENT_LEVEL, Math.max(0, Math.round(-decibels))))
  }
  return levels
}
