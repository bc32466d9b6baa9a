import { POSTER } from '@standin/wire/file-names.ts'
import { clock, gapText } from '../../../../../packages/page-parts/clock.ts'
import { Lanes } from '../../../../../packages/page-parts/lanes.tsx'
import type { Playback } from '../../../../../packages/page-parts/playback.ts'
import { Player } from '../../../../../packages/page-parts/player.tsx'
import type { Turn } from '../../../../../packages/page-parts/speakers.ts'
import type { Bot, Parts } from '../../api.ts'
import { type Loaded, Shown } from '../../parts/load.tsx'
import { TEXTS } from '../../texts.ts'
import type { StoredFile } from './files.tsx'

interface RecordingParts {
  bot: Bot
  files: readonly StoredFile[] | undefined
  parts: Parts
  playback: Playback
  turns: Loaded<Turn[]>
  isLive: boolean
}

/** The recording with a lane for each speaker. */
export function Recording({ bot, files, parts, playback, turns, isLive }: RecordingParts) {
  if (bot.artifacts_deleted) return <p class="soft">{TEXTS.deleted}</p>
  const source = bot.video ?? bot.audio
  if (source === null) return isLive ? null : <p class="soft">Nothing was recorded.</p>
  const poster = files?.find(({ name }) => name === POSTER)
  return (
    <>
      <Player kind={bot.video === null ? 'audio' : 'video'} src={source} poster={poster?.url} playback={playback} />
      <AllLanes bot={bot} parts={parts} playback={playback} turns={turns} />
      {parts.parts.length > 1 && (
        <p>{`The recording has ${parts.parts.length} parts: the bot failed during the meeting and rejoined.`}</p>
      )}
      {parts.gaps.length > 0 && (
        <ul class="gaps">
          {parts.gaps.map((gap, place) => (
            <li key={place}>
              <button type="button" class="small" onClick={() => playback.seek(gap.at, true)}>
                {clock(gap.at)}
              </button>{' '}
              {gapText(gap)}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function AllLanes({ bot, parts, playback, turns }: Omit<RecordingParts, 'isLive' | 'files'>) {
  const length = bot.duration_seconds ?? 0
  return (
    <Shown of={turns}>
      {(list) =>
        length > 0 &&
        list.length + parts.gaps.length > 0 && (
          <Lanes turns={list} gaps={parts.gaps} length={length} playback={playback} />
        )
      }
    </Shown>
  )
}
