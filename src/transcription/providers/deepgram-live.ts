/** A live connection to Deepgram. */

import type { DeepgramClient } from '@deepgram/sdk'
import { aborted } from '@standin/wire/time/deadline.ts'
import { z } from 'zod'
import { spread } from '../spread.ts'
import type { LiveConnection, LiveListener } from '../types.ts'
import { channelSchema, spokenIn } from './deepgram-answer.ts'
import { causeOf, excerpt, isTransientStatus, lenient, ProviderError, refusedStatus } from './provider-error.ts'

const resultsSchema = z.looseObject({
  type: z.literal('Results'),
  is_final: z.boolean().nullish(),
  channel: channelSchema,
  /** Seconds of the sound that was sent. */
  start: lenient(z.number()),
  duration: lenient(z.number()),
})

type Socket = Awaited<ReturnType<DeepgramClient['listen']['v1']['createConnection']>>

/** Opens the socket. `wanted`: the language that the caller chose. */
export async function openDeepgramSocket(
  socket: Socket,
  { host, key, wanted }: { host: string; key: string; wanted: string | null },
  listener: LiveListener,
  signal: AbortSignal,
): Promise<LiveConnection> {
  const opened = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  let isOpen = false
  let isOver = false
  const end = (reason: string, isTransient = true) => {
    if (isOver) return
    isOver = true
    ended.resolve()
    if (isOpen && !isFinishing) listener.lost(reason)
    else opened.reject(new ProviderError(`${host} ${reason}`, { isTransient }))
  }
  let isFinishing = false
  socket.on('open', () => {
    isOpen = true
    opened.resolve()
  })
  socket.on('message', (message) => {
    const parsed = resultsSchema.safeParse(message)
    if (!parsed.success) return
    const { channel, start, duration } = parsed.data
    const { words: timed, untimed = '', language } = spokenIn(channel, wanted)
    const words = untimed === '' ? timed : spread(untimed, start ?? 0, (start ?? 0) + (duration ?? 0))
    listener.heard({ isFinal: parsed.data.is_final === true, words, language, raw: message })
  })
  socket.on('error', (error) => {
    const refusal = refusedStatus(error)
    if (refusal === null) end(`could not be reached: ${excerpt(causeOf(error), key)}`)
    else end(`answered with status ${refusal}`, isTransientStatus(refusal))
  })
  socket.on('close', ({ code, reason }) => {
    const closed = `closed the connection (${code} ${excerpt(reason ?? '', key)})`
    // For a refused connection the package reports the end first and the reason right after.
    if (isOpen) end(closed)
    else setImmediate(() => end(closed))
  })
  const close = () => {
    isFinishing = true
    socket.close()
    end('was left')
  }
  signal.addEventListener('abort', close, { once: true })
  opened.promise.then(
    () => signal.removeEventListener('abort', close),
    () => signal.removeEventListener('abort', close),
  )
  socket.connect()
  await opened.promise
  /** The package throws if the connection broke a moment ago; a separate event reports that end. */
  const say = (work: () => void) => {
    try {
      if (!isOver) work()
    } catch (error) {
      end(`lost the connection: ${excerpt(causeOf(error), key)}`)
    }
  }
  return {
    send: (samples) => say(() => socket.sendMedia(samples)),
    keepAlive: () => say(() => socket.sendKeepAlive({ type: 'KeepAlive' })),
    async finish(limit) {
      isFinishing = true
      say(() => socket.sendCloseStream({ type: 'CloseStream' }))
      await Promise.race([ended.promise, aborted(limit)])
      close()
      return !limit.aborted
    },
    close,
  }
}
