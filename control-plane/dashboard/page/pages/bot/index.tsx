import { useRef } from 'preact/hooks'
import { clock } from '../../../../../packages/page-parts/clock.ts'
import { usePlayback } from '../../../../../packages/page-parts/playback.ts'
import { speakersOf, type Turn } from '../../../../../packages/page-parts/speakers.ts'
import {
  type Answers,
  answerOf,
  type Bot as BotDetails,
  dashboard,
  dataOf,
  hasEnded,
  type Parts,
  readScheduled,
  type ScheduledBot,
  StandinApiError,
  type TimelineStep,
  v2,
} from '../../api.ts'
import { changes } from '../../feed.ts'
import { Deliveries } from '../../parts/deliveries.tsx'
import { number } from '../../parts/format.ts'
import { LivePicture } from '../../parts/live-picture.tsx'
import { useLiveViews } from '../../parts/live-view.ts'
import { Shown, useLoaded } from '../../parts/load.tsx'
import { CopyButton, Json, MeetingLink, Platform, Status, Table, Time } from '../../parts/pieces.tsx'
import { ResourceFacts } from '../../parts/resources.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { SERVICE } from '../../place.ts'
import { me } from '../../session.ts'
import { TEXTS } from '../../texts.ts'
import { Chat } from './chat.tsx'
import { Controls } from './controls.tsx'
import { Failure } from './failure.tsx'
import { Files, type StoredFile } from './files.tsx'
import { captionsOf, speakerOf, useWords } from './live-words.ts'
import { Recording } from './recording.tsx'
import { Scheduled } from './scheduled.tsx'
import { Stepper } from './stepper.tsx'
import { Timeline } from './timeline.tsx'
import { Transcript, useTranscript } from './transcript.tsx'
import { readTurns } from './turns.ts'

const NO_PARTS: Parts = { waiting_room_seconds: 0, state: null, parts: [], gaps: [] }

interface Details {
  scheduled: null
  bot: BotDetails
  preview: Answers['BotPreview'] | undefined
  parts: Parts
  steps: readonly TimelineStep[]
}

/** One bot: its status, its recording and everything that is known about it. */
export function Bot({ id }: { id: string }) {
  const isOurs = () => changes.value.bots === 'all' || changes.value.bots.has(id)
  const counted = useRef(0)
  const details = useLoaded(() => readDetails(id), () => {
    if (isOurs()) counted.current = changes.value.count
    return counted.current
  }, [id])
  return (
    <Shown of={details}>
      {(known) =>
        known.scheduled === null ? (
          <Meeting {...known} reload={details.reload} />
        ) : (
          <Scheduled bot={known.scheduled} reload={details.reload} />
        )
      }
    </Shown>
  )
}

async function readFiles(bot: BotDetails): Promise<StoredFile[]> {
  if (bot.artifacts_deleted) return []
  return dataOf(v2.GET('/v2/bots/{bot_id}/files', { params: { path: { bot_id: bot.bot_id } } }))
}

async function readDetails(id: string): Promise<Details | { scheduled: ScheduledBot }> {
  const params = { path: { bot_id: id } }
  const [bot, [preview], parts, steps] = await Promise.all([
    answerOf(v2.GET('/v2/bots/{bot_id}', { params })).catch(nullIfMissing),
    dataOf(dashboard.GET('/previews', { params: { query: { bots: id } } })),
    dataOf(dashboard.GET('/bots/{bot_id}/parts', { params })).catch(() => NO_PARTS),
    (answerOf(v2.GET('/v2/bots/{bot_id}/timeline', { params })) as Promise<{ data: TimelineStep[] }>).catch(
      nullIfMissing,
    ),
  ])
  if (bot !== null) return { scheduled: null, bot: bot.data as BotDetails, preview, parts, steps: steps?.data ?? [] }
  const scheduled = await readScheduled(id).catch(nullIfMissing)
  if (scheduled === null) throw new Error('This bot does not exist.')
  return { scheduled }
}

function nullIfMissing(error: unknown): null {
  if (error instanceof StandinApiError && error.status === 404) return null
  throw error
}

function Meeting({ bot, preview, parts, steps, reload }: Details & { reload: () => Promise<void> }) {
  const playback = usePlayback()
  const words = useWords(bot.bot_id)
  // Each response has new signed links to the same file.
  const file = bot.diarization?.split('?', 1)[0]
  const turns = useLoaded(() => readTurns(bot, parts), undefined, [bot.status, file, parts.parts.length])
  const transcript = useTranscript(bot)
  // With signed links, which expire.
  const files = useLoaded(() => readFiles(bot), undefined, [bot])
  const isLive = !hasEnded(bot) && bot.status !== 'transcribing' && parts.state !== 'assembling'
  const hasContent = bot.status !== 'failed' || bot.audio !== null || words.value.finals.length > 0
  return (
    <>
      <div class="heading">
        <div>
          <h1>
            <bdi>{bot.bot_name}</bdi> <Status of={parts.state === 'assembling' ? 'assembling' : bot.status} />
          </h1>
          <Facts bot={bot} />
        </div>
        {parts.state !== 'assembling' && (
          <Controls bot={bot} files={files.value.value ?? []} lines={transcript.value.value ?? []} reload={reload} />
        )}
      </div>
      {parts.state !== null && (
        <p class="notice" role="status">
          {parts.state === 'assembling'
            ? 'The meeting has ended. The parts of the recording are being merged.'
            : 'The bot failed during the meeting. A new attempt is rejoining it.'}
        </p>
      )}
      <Failure bot={bot} preview={preview} />
      {bot.status !== 'completed' && <Stepper bot={bot} steps={steps} parts={parts} />}
      {hasContent && (
        <div class="columns">
          <section>
            <h2>{isLive ? 'Live' : 'Recording'}</h2>
            {isLive && <LiveSection bot={bot} words={words.value} />}
            <Recording bot={bot} files={files.value.value} {...{ parts, playback, turns, isLive }} />
          </section>
          <section>
            <h2>Transcript</h2>
            <Transcript bot={bot} finished={transcript} {...{ words, parts, playback, reload }} />
          </section>
        </div>
      )}
      <Tabs
        label="Details of the meeting"
        first={bot.status === 'failed' ? 'timeline' : 'people'}
        tabs={[
          { id: 'people', title: 'Participants', show: () => <People bot={bot} turns={turns.value.value ?? []} /> },
          { id: 'chat', title: 'Chat', show: () => <Chat bot={bot} /> },
          { id: 'files', title: 'Files', show: () => <Files bot={bot} files={files} /> },
          { id: 'webhooks', title: 'Webhooks', show: () => <Deliveries filter={{ bot_id: bot.bot_id }} /> },
          {
            id: 'timeline',
            title: 'Timeline',
            show: () => (
              <>
                {bot.status === 'completed' && <Stepper bot={bot} steps={steps} parts={parts} />}
                <Timeline steps={steps} />
              </>
            ),
          },
          { id: 'details', title: 'Details', show: () => <MoreFacts bot={bot} /> },
          { id: 'json', title: 'JSON', show: () => <Raw bot={bot} /> },
        ]}
      />
    </>
  )
}

function LiveSection({ bot, words }: { bot: BotDetails; words: ReturnType<typeof useWords>['value'] }) {
  const views = useLiveViews()
  return (
    <LivePicture botId={bot.bot_id} name={bot.bot_name} view={views.value.get(bot.bot_id)}>
      {captionsOf(words).map((event) => (
        <p key={`${event.attempt} ${event.data.id}`}>
          <b>
            <bdi>{speakerOf(event, TEXTS.unknown)}</bdi>
          </b>{' '}
          <bdi>{String(event.data.text ?? '')}</bdi>
        </p>
      ))}
    </LivePicture>
  )
}

function Facts({ bot }: { bot: BotDetails }) {
  return (
    <p class="facts">
      <Platform of={bot.meeting_platform} isNamed />
      <MeetingLink of={bot.meeting_url} />
      <span>
        Created <Time at={bot.created_at} />
      </span>
      {bot.duration_seconds !== null && <span>Duration {clock(bot.duration_seconds)}</span>}
    </p>
  )
}

/** What programs and the operator of the service ask for. */
function MoreFacts({ bot }: { bot: BotDetails }) {
  return (
    <>
      <p>
        ID <code>{bot.bot_id}</code> <CopyButton text={bot.bot_id} label="Copy the ID" />
      </p>
      {bot.tokens !== null && me.value?.team.counts_tokens && <p>Charged: {number(bot.tokens.total)} tokens</p>}
      {bot.usage !== null && <ResourceFacts of={bot.usage} />}
    </>
  )
}

/** The participants and how long each spoke. The one who spoke longest comes first. */
function People({ bot, turns }: { bot: BotDetails; turns: readonly Turn[] }) {
  const seconds = new Map(speakersOf(turns).map((speaker) => [speaker.name, speaker.seconds]))
  const all = [...seconds.values()].reduce((sum, part) => sum + part, 0)
  const people = bot.participants
    .map(({ name }) => ({ name, spoke: seconds.get(name) ?? 0 }))
    .toSorted((one, other) => other.spoke - one.spoke)
  return (
    <Table
      texts={{
        title: 'Participants',
        columns: ['Name', 'Talk time', 'Share'],
        empty: 'The bot has not met a participant yet.',
      }}
      entries={people}
      numeric={[1, 2]}
      keyOf={(person) => people.indexOf(person)}
      cells={({ name, spoke }) => [
        <bdi>{name}</bdi>,
        clock(spoke),
        all > 0 ? (
          <>
            <meter min={0} max={all} value={spoke} aria-hidden="true" />
            <span class="percent">{Math.round((100 * spoke) / all)} %</span>
          </>
        ) : (
          TEXTS.none
        ),
      ]}
    />
  )
}

/** The answer of the API about the bot, and how a program asks for it. */
function Raw({ bot }: { bot: BotDetails }) {
  const curl = (path: string) => `curl ${SERVICE}/v2/bots/${bot.bot_id}${path} -H "x-service-api-key: $STANDIN_API_KEY"`
  return (
    <>
      {(['', '/timeline', '/events'] as const).map((path) => (
        <div key={path} class="command">
          <code>{curl(path)}</code>
          <CopyButton text={curl(path)} label="Copy" />
        </div>
      ))}
      <Json title="Answer" text={JSON.stringify(bot, null, 2)} />
    </>
  )
}
