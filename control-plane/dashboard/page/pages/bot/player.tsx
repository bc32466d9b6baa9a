import type { RefObject } from 'preact'
import { answerOf, type Bot, v2 } from '../../api.ts'
import { Shown, useLoaded } from '../../parts/load.tsx'
import { TEXTS } from '../../texts.ts'

interface Turn {
  name: string
  from: number
  to: number
}

/** The recording with a lane for each speaker. */
export function Player({ bot, media }: { bot: Bot; media: RefObject<HTMLMediaElement | null> }) {
  if (bot.artifacts_deleted) return <p class="soft">{TEXTS.bot.deleted}</p>
  const source = bot.video ?? bot.audio
  if (source === null) return <p class="soft">{TEXTS.bot.noRecording}</p>
  return (
    <>
      {bot.video !== null ? (
        // biome-ignore lint/a11y/useMediaCaption: the transcript stands beside it
        <video ref={media as RefObject<HTMLVideoElement>} controls preload="metadata" src={source} />
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: the transcript stands beside it
        <audio ref={media as RefObject<HTMLAudioElement>} controls preload="metadata" src={source} />
      )}
      <Lanes bot={bot} media={media} />
    </>
  )
}

function Lanes({ bot, media }: { bot: Bot; media: RefObject<HTMLMediaElement | null> }) {
  const turns = useLoaded(() => readTurns(bot.bot_id), undefined, [bot.bot_id])
  const length = bot.duration_seconds ?? 0
  if (length <= 0) return null
  return (
    <Shown of={turns}>
      {(list) => {
        const names = [...new Set(list.map(({ name }) => name))]
        if (names.length === 0) return null
        return (
          <section class="lanes" aria-label={TEXTS.bot.speakers}>
            {names.map((name) => (
              <>
                <span title={name}>{name}</span>
                {/* The same places are reached by keyboard from the transcript and the player's own bar. */}
                <svg
                  viewBox={`0 0 ${length} 1`}
                  preserveAspectRatio="none"
                  aria-hidden="true"
                  onClick={(event) => {
                    if (media.current === null) return
                    const { left, width } = event.currentTarget.getBoundingClientRect()
                    media.current.currentTime = ((event.clientX - left) / width) * length
                  }}
                >
                  {list
                    .filter((turn) => turn.name === name)
                    .map(({ from, to }) => (
                      <rect key={from} x={from} y={0} width={Math.max(to - from, length / 500)} height={1} />
                    ))}
                </svg>
              </>
            ))}
          </section>
        )
      }}
    </Shown>
  )
}

/** From the events of speakers, all pages of them. */
async function readTurns(botId: string): Promise<Turn[]> {
  const turns: Turn[] = []
  const open = new Map<string, number>()
  let cursor: string | null = null
  for (;;) {
    const query = { types: 'speaker', limit: '500', ...(cursor !== null && { cursor }) }
    const page: { data: { data: Record<string, unknown> }[]; cursor: string | null } = await answerOf(
      v2.GET('/v2/bots/{bot_id}/events', { params: { path: { bot_id: botId }, query } }),
    )
    if (page.data.length === 0) return turns
    cursor = page.cursor
    for (const { data } of page.data) {
      const name = String((data.participant as { name?: unknown } | undefined)?.name ?? '')
      if (typeof data.offset !== 'number') continue
      if (data.is_speaking) open.set(name, data.offset)
      else {
        const from = open.get(name)
        if (from !== undefined) turns.push({ name, from, to: data.offset })
        open.delete(name)
      }
    }
  }
}
