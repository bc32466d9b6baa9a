import type { RefObject } from 'preact'
import type { Bot, Parts } from '../../api.ts'
import { clock } from '../../parts/format.ts'
import { Shown, useLoaded } from '../../parts/load.tsx'
import { TEXTS } from '../../texts.ts'
import { Lanes } from './lanes.tsx'
import type { Playback } from './playback.ts'
import { readTurns } from './turns.ts'

/** The recording with a lane for each speaker. */
export function Player({ bot, parts, playback }: { bot: Bot; parts: Parts; playback: Playback }) {
  if (bot.artifacts_deleted) return <p class="soft">{TEXTS.bot.deleted}</p>
  const source = bot.video ?? bot.audio
  if (source === null) return <p class="soft">{TEXTS.bot.noRecording}</p>
  const { media, onTime } = playback
  const common = { controls: true, preload: 'metadata' as const, onTimeUpdate: onTime, onSeeking: onTime }
  return (
    <>
      {/* The player has no captions track, because the transcript is next to it. */}
      {bot.video !== null ? (
        <video ref={media as RefObject<HTMLVideoElement>} src={source} {...common} />
      ) : (
        <audio ref={media as RefObject<HTMLAudioElement>} src={source} {...common} />
      )}
      <AllLanes bot={bot} parts={parts} playback={playback} />
      <p class="soft small-text">{TEXTS.bot.keys}</p>
      {parts.parts.length > 1 && <p>{TEXTS.bot.parts(parts.parts.length)}</p>}
      {parts.gaps.length > 0 && (
        <ul class="gaps">
          {parts.gaps.map(({ at, seconds }, place) => (
            <li key={place}>
              <button type="button" class="small" onClick={() => playback.seek(at, true)}>
                {clock(at)}
              </button>{' '}
              {TEXTS.bot.gap(seconds, clock(at))}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function AllLanes({ bot, parts, playback }: { bot: Bot; parts: Parts; playback: Playback }) {
  // Each read of the bot signs new links; the file stays the same.
  const file = bot.diarization?.split('?', 1)[0]
  const turns = useLoaded(() => readTurns(bot, parts), undefined, [bot.bot_id, file, parts.parts.length])
  const length = bot.duration_seconds ?? 0
  if (length <= 0) return null
  return (
    <Shown of={turns}>{(list) => <Lanes turns={list} gaps={parts.gaps} length={length} playback={playback} />}</Shown>
  )
}
