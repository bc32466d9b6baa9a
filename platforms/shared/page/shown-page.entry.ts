/**
 * Runs at the start of every document of a page that the bot shows: its microphone is the meeting, and `window.standin` has the
 * meeting's events (docs/output-media.md).
 */
import type { Said } from '@standin/wire/commands.ts'
import type { PageNews } from '@standin/wire/page-bridge.ts'
import { createCatchUp } from './audio/catch-up.ts'
import { deviceId, deviceInfo } from './devices/device-constraints.ts'
import { createVirtualMicrophone } from './devices/virtual-microphone.ts'
import { wrapMethod } from './dom/patch-native.ts'
import { answerDriver } from './link.ts'
import type { ShownPageApi } from './types.ts'

/** Given by the driver, which wraps this script in a function of this parameter. */
declare const standinConfig: { channel: string; carry(payload: string): void }

/** Peak of a pause: -40 dBFS. */
const PAUSE = 328
/** Calls without an answer. */
const MAX_WAITING = 20
/** Of `createVirtualMicrophone`'s sound. */
const RATE = 48_000

type Listener<Type extends PageNews['type']> = (news: Extract<PageNews, { type: Type }>) => void
type Person = Extract<PageNews, { type: 'participant_joined' }>['participant']

if (window.top === window) start()

function start(): void {
  const { channel, carry } = standinConfig
  const microphone = createVirtualMicrophone('live')
  replaceMicrophone()
  const listeners = new Map<string, Set<(news: never) => void>>()
  const people = new Map<number, Person>()
  const calls = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>()
  let lastCall = 0
  let waiting = 0
  let isListening = false
  const paceOf = createCatchUp()
  /** When all sound so far is heard; in the time of `performance`. */
  let heardAt = 0

  function call<Answer>(asked: { call: string } & Record<string, unknown>): Promise<Answer> {
    // Here too, so that a page that calls without end is no load for the bot.
    if (waiting >= MAX_WAITING) return Promise.reject(new Error('Too many calls wait for their answers.'))
    waiting++
    const id = ++lastCall
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    calls.set(id, { resolve, reject })
    carry(JSON.stringify({ id, ...asked }))
    return promise as Promise<Answer>
  }

  function replaceMicrophone(): void {
    const devices = globalThis.MediaDevices?.prototype
    if (!devices) return
    const label = { kind: 'audioinput', label: 'Meeting', deviceId: deviceId('meeting'), groupId: '' } as const
    wrapMethod(devices, 'getUserMedia', async (native, _self, given) => {
      const { audio, video } = (given[0] ?? {}) as MediaStreamConstraints
      if (!audio) return native(...given)
      const others = video ? ((await native({ video })) as MediaStream).getTracks() : []
      if (!isListening) carry('listen')
      isListening = true
      return new MediaStream([microphone.open(), ...others])
    })
    wrapMethod(devices, 'enumerateDevices', async (native, _self, given) => {
      const real = (await native(...given)) as MediaDeviceInfo[]
      return [deviceInfo(label, () => ({})), ...real.filter(({ kind }) => kind !== 'audioinput')]
    })
  }

  function hand(news: PageNews): void {
    if (news.type === 'participant_joined' || news.type === 'participant_changed')
      people.set(news.participant.id, news.participant)
    if (news.type === 'participant_left') people.delete(news.participant.id)
    for (const listener of listeners.get(news.type) ?? []) {
      try {
        listener(news as never)
      } catch (error) {
        reportError(error)
      }
    }
  }

  const api: ShownPageApi = {
    hear(pcm) {
      const bytes = Uint8Array.from(atob(pcm), (letter) => letter.charCodeAt(0))
      const samples = new Int16Array(bytes.buffer)
      const isPause = samples.every((sample) => Math.abs(sample) < PAUSE)
      const pace = paceOf(heardAt - performance.now(), isPause)
      if (pace > 0) heardAt = performance.now() + microphone.play(samples, RATE * pace) * 1000
    },
    tell(all) {
      for (const news of all) hand(news)
    },
    answer(id, { data, problem }) {
      const call = calls.get(id)
      calls.delete(id)
      waiting--
      if (problem === undefined) call?.resolve(data)
      else call?.reject(new Error(problem))
    },
  }
  answerDriver(channel, api)

  const standin = {
    version: 1,
    get people(): Person[] {
      return [...people.values()]
    },
    on<Type extends PageNews['type']>(type: Type, listener: Listener<Type>): () => void {
      const known = listeners.get(type) ?? new Set()
      listeners.set(type, known.add(listener))
      return () => known.delete(listener)
    },
    say: (text: string, { interrupt = false, replace = false } = {}) =>
      call<Said>({ call: 'say', text, interrupt, replace }),
    stop: (what: 'speech' | 'page' = 'speech') => call<null>({ call: 'stop', what }),
  }
  Object.defineProperty(globalThis, 'standin', { value: Object.freeze(standin), enumerable: true })
  carry('ready')
}
