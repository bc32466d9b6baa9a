/**
 * The process of a speech engine: one model for all voices of a bot. It speaks the events of `turn-connection.ts` over the
 * channel to its parent, each in an envelope with its session, and ends with its parent.
 */
import { constants, setPriority } from 'node:os'
import { messageOf } from '@standin/wire/text/error-text.ts'
import type { Engine, EngineTurn, OpenEngine } from './engine.ts'

interface Envelope {
  session: number
  event: { type: string; audio?: string }
}

// The recording goes first.
setPriority(constants.priority.PRIORITY_LOW)

const TRANSCRIPTION = 'conversation.item.input_audio_transcription'
const [engineName = '', modelFolder = ''] = process.argv.slice(2)

const say = (session: number, event: object) => process.send?.({ session, event })
process.on('disconnect', () => process.exit(0))

async function open(): Promise<Engine> {
  const module = engineName === 'sherpa-onnx-node' ? import('./sherpa.ts') : import(engineName)
  const { openEngine } = (await module) as { openEngine: OpenEngine }
  return openEngine(modelFolder)
}

/** Session 0 is the process itself. */
open().then(
  (engine) => {
    serve(engine)
    say(0, { type: 'ready', sampleRate: engine.sampleRate })
  },
  (error: unknown) => say(0, { type: 'failed', message: messageOf(error) }),
)

function serve(engine: Engine): void {
  const turns = new Map<number, { turn: EngineTurn; item: string; text: string }>()
  let items = 0
  process.on('message', ({ session, event: { type, audio = '' } }: Envelope) => {
    const open = turns.get(session) ?? { turn: engine.begin(), item: `item_${++items}`, text: '' }
    if (type === 'input_audio_buffer.append') {
      turns.set(session, open)
      const text = open.turn.add(floats(Buffer.from(audio, 'base64')))
      if (text !== open.text) say(session, { type: `${TRANSCRIPTION}.delta`, item_id: open.item, delta: '', text })
      open.text = text
    } else if (type === 'input_audio_buffer.commit') {
      turns.delete(session)
      say(session, { type: 'input_audio_buffer.committed', item_id: open.item })
      const { text, words, language } = open.turn.end()
      say(session, { type: `${TRANSCRIPTION}.completed`, item_id: open.item, transcript: text, words, language })
    } else if (type === 'close') turns.delete(session)
  })
}

function floats(pcm: Buffer): Float32Array<ArrayBuffer> {
  const samples = new Float32Array(pcm.byteLength >> 1)
  for (let index = 0; index < samples.length; index++) samples[index] = pcm.readInt16LE(index * 2) / 32_768
  return samples
}
