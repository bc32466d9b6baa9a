import { type Line, Lines } from '../../../../../packages/page-parts/lines.tsx'
import type { Playback } from '../../../../../packages/page-parts/playback.ts'
import { answerOf, type Bot, type BotEvent, hasEnded, type Parts, v2 } from '../../api.ts'
import { ActionButton, OutcomeLine, useAction } from '../../parts/action.tsx'
import { type Loaded, Shown, useLoaded } from '../../parts/load.tsx'
import { may } from '../../session.ts'
import { TEXTS } from '../../texts.ts'
import { speakerOf, type useWords } from './live-words.ts'

type Words = ReturnType<typeof useWords>

interface TranscriptParts {
  bot: Bot
  words: Words
  parts: Parts
  playback: Playback
}

/** The finished transcript, or the words while the meeting runs: those that may still change are replaced in place. Afterwards a missing one can be made. */
export function Transcript({
  bot,
  finished,
  words,
  parts,
  playback,
  reload,
}: TranscriptParts & { finished: Loaded<Line[] | null>; reload: () => Promise<void> }) {
  return bot.transcription === null ? (
    <>
      {hasEnded(bot) && <Missing bot={bot} reload={reload} />}
      <Live bot={bot} words={words} parts={parts} playback={playback} />
    </>
  ) : (
    <Shown of={finished}>{(lines) => lines !== null && <AllLines lines={lines} playback={playback} />}</Shown>
  )
}

function Missing({ bot, reload }: { bot: Bot; reload: () => Promise<void> }) {
  const action = useAction()
  const params = { path: { bot_id: bot.bot_id } }
  return (
    <>
      <p class="soft">
        {bot.transcription_provider === null ? 'No transcript was requested.' : 'There is no transcript.'}
      </p>
      <OutcomeLine of={action} />
      {may('member') && bot.audio !== null && (
        <p>
          <ActionButton
            of={action}
            work={async () => {
              const { data } = await answerOf(v2.POST('/v2/bots/{bot_id}/retranscribe', { params, body: null }))
              await reload()
              return data.message
            }}
          >
            Make a transcript
          </ActionButton>
        </p>
      )}
    </>
  )
}

function Live({ bot, words, parts, playback }: TranscriptParts) {
  const { finals, partials } = words.value
  // The offsets of each attempt count from its own start.
  const begins = new Map(parts.parts.map((part) => [part.attempt, part.begins]))
  const lineOf = (event: BotEvent) => {
    const { attempt, data } = event
    const begin = begins.get(attempt) ?? 0
    return {
      name: speakerOf(event, TEXTS.unknown),
      at: begin + Number(data.start ?? 0),
      ...(typeof data.end === 'number' && { until: begin + data.end }),
      text: String(data.text ?? ''),
    }
  }
  const lines = [...finals.map(lineOf), ...partials.map((event) => ({ ...lineOf(event), isPartial: true }))]
  if (lines.length === 0)
    return hasEnded(bot) ? null : <p class="soft">Captions appear here as they are spoken, if the bot reads them.</p>
  return <AllLines lines={lines} playback={playback} />
}

interface Utterance {
  speaker: string
  start: number
  end: number
  text: string
}

/** The finished transcript; null without one. */
export function useTranscript({ transcription: address }: Bot): Loaded<Line[] | null> {
  // Each response has new signed links to the same file.
  const file = address?.split('?', 1)[0]
  return useLoaded(
    async () => {
      if (address === null) return null
      const response = await fetch(address)
      if (!response.ok) throw new Error(`${response.status}`)
      const { result } = (await response.json()) as { result?: { utterances?: Utterance[] } }
      return (result?.utterances ?? []).map(({ speaker, start, end, text }) => {
        return { name: speaker, at: start, until: end, text }
      })
    },
    undefined,
    [file],
  )
}

function AllLines({ lines, playback }: { lines: readonly Line[]; playback: Playback }) {
  return (
    <Lines
      lines={lines}
      label="Transcript"
      searchLabel="Search the transcript"
      empty="Nobody spoke."
      playback={playback}
    />
  )
}
