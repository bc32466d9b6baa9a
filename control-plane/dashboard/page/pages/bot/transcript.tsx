import { useSignal } from '@preact/signals'
import { type Bot, hasEnded } from '../../api.ts'
import { clock } from '../../parts/format.ts'
import { Shown, useLoaded } from '../../parts/load.tsx'
import { TEXTS } from '../../texts.ts'
import { useEvents } from './live-events.ts'

interface Line {
  speaker: string
  start: number
  text: string
}

/** The finished transcript; while the meeting runs, what the captions give. */
export function Transcript({ bot, seek }: { bot: Bot; seek: (seconds: number) => void }) {
  return bot.transcription === null ? (
    <Live bot={bot} seek={seek} />
  ) : (
    <Finished key={bot.bot_id} address={bot.transcription} seek={seek} />
  )
}

function Live({ bot, seek }: { bot: Bot; seek: (seconds: number) => void }) {
  const events = useEvents(bot.bot_id, 'transcript', !hasEnded(bot))
  const lines = events.value.map(({ data }) => ({
    speaker: String((data.speaker as { name?: unknown } | null)?.name ?? 'Unknown'),
    start: Number(data.start ?? 0),
    text: String(data.text ?? ''),
  }))
  return <Lines lines={lines} seek={seek} />
}

function Finished({ address, seek }: { address: string; seek: (seconds: number) => void }) {
  // Each read of the bot signs new links; the file stays the same.
  const file = address.split('?', 1)[0]
  const lines = useLoaded(
    async () => {
      const response = await fetch(address)
      if (!response.ok) throw new Error(`${response.status}`)
      const { result } = (await response.json()) as { result?: { utterances?: Line[] } }
      return result?.utterances ?? []
    },
    undefined,
    [file],
  )
  return <Shown of={lines}>{(list) => <Lines lines={list} seek={seek} />}</Shown>
}

function Lines({ lines, seek }: { lines: readonly Line[]; seek: (seconds: number) => void }) {
  const wanted = useSignal('')
  if (lines.length === 0) return <p class="soft">{TEXTS.bot.noTranscript}</p>
  const word = wanted.value.toLowerCase()
  const shown =
    word === '' ? lines : lines.filter(({ text, speaker }) => `${speaker} ${text}`.toLowerCase().includes(word))
  return (
    <>
      <label>
        {TEXTS.bot.search}
        <input type="search" onInput={(event) => (wanted.value = event.currentTarget.value.trim())} />
      </label>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard */}
      <ol class="lines" tabIndex={0} aria-label={TEXTS.bot.transcript}>
        {shown.map(({ speaker, start, text }, place) => (
          <li key={place}>
            <button type="button" onClick={() => seek(start)}>
              {clock(start)}
            </button>{' '}
            <b>{speaker}</b> {text}
          </li>
        ))}
      </ol>
    </>
  )
}
