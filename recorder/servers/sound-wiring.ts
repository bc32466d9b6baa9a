/**
 * The way of the meeting's sound through the sound server: from each stream of the browser into its sink, and from there
 * into the recorder. Any program of the bot's user may change it; here it is put right.
 */
import { z } from 'zod'
import { runProgram } from '../../packages/core/process/run-program.ts'
import type { AudioSink } from './audio-sink.ts'

const FULL = 65_536
const volume = z.record(z.string(), z.looseObject({ value: z.number() })).optional()
const common = { index: z.number(), mute: z.boolean(), volume }
const device = z.looseObject({ ...common, name: z.string(), state: z.string() })
const stream = { ...common, properties: z.looseObject({ 'application.process.binary': z.string().optional() }) }
/** What `pactl --format=json list` says, as much of it as is needed. */
const wiringSchema = z.looseObject({
  sinks: z.array(device),
  sources: z.array(device),
  sink_inputs: z.array(z.looseObject({ ...stream, sink: z.number() })),
  source_outputs: z.array(z.looseObject({ ...stream, source: z.number() })),
})
type Wiring = z.infer<typeof wiringSchema>

interface Repair {
  /** What was wrong, for people. */
  fault: string
  /** For pactl. */
  command: string[]
}

type Ends = Pick<AudioSink, 'server' | 'sink' | 'monitor' | 'voice'>

/**
 * Resolves with what was wrong and is right now, each once; empty if all was right. Rejects if pactl is missing or the
 * server does not answer before the signal.
 */
export async function restoreWiring(ends: Ends, signal: AbortSignal): Promise<string[]> {
  const pactl = (...args: string[]) => runProgram('pactl', [`--server=unix:${ends.server}`, ...args], signal)
  const repairs = repairsOf(wiringSchema.parse(JSON.parse(await pactl('--format=json', 'list'))), ends)
  // One after the other: a stream may be both led elsewhere and muted. One that ended meanwhile needs no repair.
  const faults = new Set<string>()
  for (const { fault, command } of repairs) {
    const isDone = await pactl(...command).then(
      () => true,
      () => false,
    )
    signal.throwIfAborted()
    if (isDone) faults.add(fault)
  }
  return [...faults]
}

/** Pure. ffmpeg plays the bot's own voice and records; every other stream is the browser's. */
function repairsOf({ sinks, sources, sink_inputs, source_outputs }: Wiring, ends: Omit<Ends, 'server'>): Repair[] {
  const indexOf = (devices: Wiring['sinks'], name: string | undefined) =>
    devices.find((known) => known.name === name)?.index ?? null
  const [meeting, voice] = [indexOf(sinks, ends.sink), indexOf(sinks, ends.voice?.sink)]
  const monitors = [ends.monitor, ends.voice?.monitor].map((name) => indexOf(sources, name))
  const isOurs = ({ properties }: { properties: Record<string, unknown> }) =>
    properties['application.process.binary'] === 'ffmpeg'
  const move = (kind: 'sink-input' | 'source-output', index: number, from: number, to: number | null): Repair[] =>
    to === null || from === to
      ? []
      : [{ fault: 'its sound was led elsewhere', command: [`move-${kind}`, String(index), String(to)] }]
  return [
    ...sinks
      .filter(({ name }) => name === ends.sink || name === ends.voice?.sink)
      .flatMap((sink) => [...wakened(sink), ...unmuted('sink', sink)]),
    ...sources.filter(({ index }) => monitors.includes(index)).flatMap((source) => unmuted('source', source)),
    ...sink_inputs.flatMap((input) => [
      ...move('sink-input', input.index, input.sink, isOurs(input) ? voice : meeting),
      ...unmuted('sink-input', input),
    ]),
    ...source_outputs
      .filter(isOurs)
      .flatMap((output) => [
        ...(monitors.includes(output.source)
          ? []
          : move('source-output', output.index, output.source, monitors[0] ?? null)),
        ...unmuted('source-output', output),
      ]),
  ]
}

/** A monitor follows its sink. */
function wakened(sink: Wiring['sinks'][number]): Repair[] {
  const command = ['suspend-sink', String(sink.index), '0']
  return sink.state === 'SUSPENDED' ? [{ fault: 'the sound server was suspended', command }] : []
}

function unmuted(
  kind: string,
  { index, mute, volume: channels = {} }: Pick<Wiring['sinks'][number], 'index' | 'mute' | 'volume'>,
): Repair[] {
  const isQuiet = Object.values(channels).some(({ value }) => value < FULL)
  const set = (what: string, value: string) => ({
    fault: 'its sound was muted',
    command: [`set-${kind}-${what}`, String(index), value],
  })
  return [...(mute ? [set('mute', '0')] : []), ...(isQuiet ? [set('volume', '100%')] : [])]
}
