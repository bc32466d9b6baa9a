import { Download } from 'lucide'
import { useRef } from 'preact/hooks'
import { clock } from '../../../../../packages/page-parts/clock.ts'
import { usePlayback } from '../../../../../packages/page-parts/playback.ts'
import { sizeOf } from '../../../../../packages/page-parts/size.ts'
import { speakersOf, type Turn } from '../../../../../packages/page-parts/speakers.ts'
import {
  answerOf,
  type Bot as BotDetails,
  dashboard,
  dataOf,
  hasEnded,
  type Parts,
  StandinApiError,
  type TimelineStep,
  v2,
} from '../../api.ts'
import { changes } from '../../feed.ts'
import { Deliveries } from '../../parts/deliveries.tsx'
import { number } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { LivePicture } from '../../parts/live-picture.tsx'
import { useLiveViews } from '../../parts/live-view.ts'
import { Shown, useLoaded } from '../../parts/load.tsx'
import { CopyButton, Json, Platform, Status, Table, Time } from '../../parts/pieces.tsx'
import { ResourceFacts } from '../../parts/resources.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { SERVICE } from '../../place.ts'
import { REASON_TEXTS, TEXTS } from '../../texts.ts'
import { Chat } from './chat.tsx'
import { Controls } from './controls.tsx'
import { captionsOf, speakerOf, useWords } from './live-words.ts'
import { Recording } from './recording.tsx'
import { Stepper } from './stepper.tsx'
import { Timeline } from './timeline.tsx'
import { Transcript } from './transcript.tsx'
import { readTurns } from './turns.ts'

const WHO = {
  caller: 'You can change it.',
  host: 'The host can change it.',
  platform: 'It depends on the platform.',
  operator: 'The operator of this service can change it.',
}

const NO_PARTS: Parts = { waiting_room_seconds: 0, state: null, parts: [], gaps: [] }

interface Details {
  bot: BotDetails
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
  return <Shown of={details}>{(known) => <Meeting {...known} reload={details.reload} />}</Shown>
}

async function readDetails(id: string): Promise<Details> {
  const params = { path: { bot_id: id } }
  const [{ data: bot }, parts, { data: steps }] = await Promise.all([
    answerOf(v2.GET('/v2/bots/{bot_id}', { params })).catch((error: unknown) => {
      throw error instanceof StandinApiError && error.status === 404 ? new Error('This bot does not exist.') : error
    }),
    dataOf(dashboard.GET('/bots/{bot_id}/parts', { params })).catch(() => NO_PARTS),
    answerOf(v2.GET('/v2/bots/{bot_id}/timeline', { params })) as Promise<{ data: TimelineStep[] }>,
  ])
  return { bot: bot as BotDetails, parts, steps }
}

function Meeting({ bot, parts, steps, reload }: Details & { reload: () => Promise<void> }) {
  const playback = usePlayback()
  const words = useWords(bot.bot_id)
  // Each response has new signed links to the same file.
  const file = bot.diarization?.split('?', 1)[0]
  const turns = useLoaded(() => readTurns(bot, parts), undefined, [bot.status, file, parts.parts.length])
  const isLive = !hasEnded(bot) && bot.status !== 'transcribing' && parts.state !== 'assembling'
  return (
    <>
      <div class="heading">
        <div>
          <h1>
            <bdi>{bot.bot_name}</bdi> <Status of={parts.state === 'assembling' ? 'assembling' : bot.status} />
          </h1>
          <Facts bot={bot} />
          {bot.usage !== null && <ResourceFacts of={bot.usage} />}
        </div>
        {parts.state !== 'assembling' && <Controls bot={bot} reload={reload} />}
      </div>
      {parts.state !== null && (
        <p class="notice" role="status">
          {parts.state === 'assembling'
            ? 'The meeting has ended. The parts of the recording are being merged.'
            : 'The bot failed during the meeting. A new attempt is rejoining it.'}
        </p>
      )}
      <Failure bot={bot} />
      <Refusal bot={bot} />
      <Stepper bot={bot} steps={steps} parts={parts} />
      <div class="columns">
        <section>
          <h2>{isLive ? 'Live' : 'Recording'}</h2>
          {isLive && <LiveSection bot={bot} words={words.value} />}
          <Recording bot={bot} parts={parts} playback={playback} turns={turns} isLive={isLive} />
        </section>
        <section>
          <h2>Transcript</h2>
          <Transcript bot={bot} words={words} parts={parts} playback={playback} reload={reload} />
        </section>
      </div>
      <Tabs
        label="Details of the meeting"
        first={bot.status === 'failed' ? 'timeline' : 'people'}
        tabs={[
          { id: 'people', title: 'Participants', show: () => <People bot={bot} turns={turns.value.value ?? []} /> },
          { id: 'chat', title: 'Chat', show: () => <Chat bot={bot} /> },
          { id: 'files', title: 'Files', show: () => <Files bot={bot} /> },
          { id: 'webhooks', title: 'Webhooks', show: () => <Deliveries filter={{ bot_id: bot.bot_id }} /> },
          { id: 'timeline', title: 'Timeline', show: () => <Timeline steps={steps} /> },
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

/** Why the meeting kept the bot out, what changes it, and what the bot saw. */
function Refusal({ bot: { reason_help: help } }: { bot: BotDetails }) {
  if (help === null) return null
  return (
    <div class="notice">
      <p>
        <b>{help.title}.</b> {help.host} {help.setting} <a href={help.link}>Page for the host</a>
      </p>
      {help.evidence.length > 0 && (
        <details>
          <summary>Details</summary>
          <ol>
            {help.evidence.map(({ seen, at }) => (
              <li key={`${at} ${seen}`}>
                <Time at={at} isExact /> {seen}
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  )
}

/** The reason, who can change it, and what helps. */
function Failure({ bot: { error_code: code, error_message: message, error_help: help } }: { bot: BotDetails }) {
  if (code === null) return null
  return (
    <div class="notice bad">
      <p>
        {REASON_TEXTS[code] ?? code} {message}
      </p>
      {help !== null && (
        <p>
          <b>{WHO[help.who]}</b> {help.cure} <a href={help.link}>All reasons</a>
        </p>
      )}
    </div>
  )
}

function Facts({ bot }: { bot: BotDetails }) {
  const isLink = /^https?:\/\//.test(bot.meeting_url)
  return (
    <p class="facts">
      <Platform of={bot.meeting_platform} isNamed />
      {isLink ? (
        <a class="one-line" href={bot.meeting_url} target="_blank" rel="noopener noreferrer">
          {bot.meeting_url.replace(/^https?:\/\//, '')}
        </a>
      ) : (
        <span class="one-line">{bot.meeting_url}</span>
      )}
      <span>
        Created <Time at={bot.created_at} />
      </span>
      {bot.duration_seconds !== null && <span>Duration {clock(bot.duration_seconds)}</span>}
      {bot.tokens !== null && <span>{number(bot.tokens.total)} tokens</span>}
      <span>
        ID <code>{bot.bot_id}</code> <CopyButton text={bot.bot_id} label="Copy the ID" />
      </span>
    </p>
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
            <meter min={0} max={all} value={spoke} aria-hidden="true" /> {Math.round((100 * spoke) / all)} %
          </>
        ) : (
          TEXTS.none
        ),
      ]}
    />
  )
}

/** Stored files with links to download or open them. Links work for 15 minutes, so they are read with the bot. */
function Files({ bot }: { bot: BotDetails }) {
  const path = { bot_id: bot.bot_id }
  const files = useLoaded(() => dataOf(v2.GET('/v2/bots/{bot_id}/files', { params: { path } })), undefined, [bot])
  if (bot.artifacts_deleted) return <p class="soft">{TEXTS.deleted}</p>
  return (
    <Shown of={files}>
      {(list) => (
        <Table
          texts={{ title: 'Files', columns: ['File', 'Size', ''], empty: 'No file is stored yet.' }}
          entries={list}
          numeric={[1]}
          keyOf={({ name }) => name}
          cells={({ name, bytes, url }) => [
            url === null ? (
              name
            ) : (
              <a href={url} target="_blank" rel="noopener noreferrer">
                {name}
              </a>
            ),
            sizeOf(bytes),
            url !== null && (
              <a class="button" href={url} download={name.replaceAll('/', '-')}>
                <Icon of={Download} />
                Download
              </a>
            ),
          ]}
        />
      )}
    </Shown>
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
