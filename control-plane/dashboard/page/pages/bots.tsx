import { useSignal } from '@preact/signals'
import { PLATFORM_TITLES } from '@standin/wire/platforms.ts'
import { Video } from 'lucide'
import type { ComponentChildren } from 'preact'
import { clock } from '../../../../packages/page-parts/clock.ts'
import { type Answers, answerOf, type BotItem, dashboard, dataOf, hasEnded, v2 } from '../api.ts'
import { changes } from '../feed.ts'
import { ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { Choice } from '../parts/form.tsx'
import { nameAndTime } from '../parts/format.ts'
import { Pages } from '../parts/load.tsx'
import { Empty, Platform, STATUS_TEXTS, Status, Table, Time } from '../parts/pieces.tsx'
import { Link, queryValue, setQuery } from '../router.tsx'
import { may } from '../session.ts'
import { partOf, TEXTS, whyOf } from '../texts.ts'

const TITLE = 'All meetings'
const EMPTY = 'No bot was sent yet. Each bot and its recording appear here.'

type Preview = Answers['BotPreview']
type Row = BotItem & { preview: Preview | undefined }
const FILTERS = ['name', 'status', 'platform', 'since'] as const

/** All bots that joined or tried to, newest first. The address keeps filters and order. */
export function Bots() {
  const chosen = useSignal<ReadonlySet<string>>(new Set())
  const { scheduled: _scheduled, cancelled: _cancelled, assembling: _assembling, ...statuses } = STATUS_TEXTS
  return (
    <>
      <h1>{TITLE}</h1>
      <search class="actions filters">
        <label>
          Bot name
          <input
            type="search"
            value={queryValue('name')}
            onInput={(event) => setQuery({ name: event.currentTarget.value.trim() })}
          />
        </label>
        <Filter name="status" label="Status" options={{ '': 'Any status', ...statuses }} />
        <Filter name="platform" label="Platform" options={{ '': 'Any platform', ...PLATFORM_TITLES }} />
        <label>
          Created since
          <input
            type="date"
            value={queryValue('since')}
            onChange={(event) => setQuery({ since: event.currentTarget.value })}
          />
        </label>
      </search>
      <Pages read={readRows} when={() => [changes.value, ...FILTERS.map(queryValue)]} empty={<NoBots />}>
        {(bots, isAll) => (
          <>
            {may('member') && (
              <Chosen bots={bots.filter((bot) => chosen.value.has(bot.bot_id))} all={bots} of={chosen} />
            )}
            <List bots={bots} chosen={chosen} />
            {!isAll && queryValue('sort') !== '' && (
              <p class="soft">Only the rows that are shown are sorted. Show more to sort all.</p>
            )}
          </>
        )}
      </Pages>
    </>
  )
}

function Filter({ name, ...rest }: { name: string; label: string; options: Readonly<Record<string, string>> }) {
  return <Choice {...rest} name={name} value={queryValue(name)} onChange={(value) => setQuery({ [name]: value })} />
}

/** Pictures that the page has loaded: each response has new signed links to the same files. */
const known = new Map<string, Preview>()

async function readRows(cursor: string | null): Promise<{ data: Row[]; cursor: string | null }> {
  const [name, status, platform, since] = FILTERS.map(queryValue)
  const query = {
    limit: 50,
    ...(name && { bot_name: name }),
    ...(status && { status: [status as BotItem['status']] }),
    ...(platform && { meeting_platform: [platform as BotItem['meeting_platform']] }),
    ...(since && { created_after: new Date(`${since}T00:00`).toISOString() }),
    ...(cursor !== null && { cursor }),
  }
  const page = await answerOf(v2.GET('/v2/bots', { params: { query } }))
  const bots = page.data.map(({ bot_id }) => bot_id).join(',')
  const previews = bots === '' ? [] : await dataOf(dashboard.GET('/previews', { params: { query: { bots } } }))
  for (const preview of previews) {
    const before = known.get(preview.bot_id)
    const isSame = before?.picture?.taken_at === preview.picture?.taken_at
    known.set(preview.bot_id, isSame && before ? { ...preview, picture: before.picture } : preview)
  }
  return { ...page, data: page.data.map((bot) => ({ ...bot, preview: known.get(bot.bot_id) })) }
}

const SORT_KEYS = ['name', 'people', 'duration', 'status', 'created'] as const
const VALUES: Record<(typeof SORT_KEYS)[number], (row: Row) => string | number> = {
  name: ({ bot_name }) => bot_name.toLocaleLowerCase(),
  people: ({ preview }) => preview?.people ?? 0,
  duration: ({ duration }) => duration ?? 0,
  status: ({ status }) => STATUS_TEXTS[status] ?? status,
  created: ({ created_at }) => created_at,
}

function sorted(rows: readonly Row[]): readonly Row[] {
  const sort = queryValue('sort')
  const read = VALUES[sort.replace('-', '') as keyof typeof VALUES]
  if (read === undefined) return rows
  const order = rows.toSorted((one, other) => {
    const [a, b] = [read(one), read(other)]
    return a < b ? -1 : a > b ? 1 : 0
  })
  return sort.startsWith('-') ? order.reverse() : order
}

interface Choosing {
  chosen: { value: ReadonlySet<string> }
}

function List({ bots, chosen }: { bots: readonly Row[] } & Choosing) {
  return (
    <Table
      texts={{ title: TITLE, columns: ['Meeting', 'People', 'Duration', 'Status', 'Created'], empty: EMPTY }}
      entries={sorted(bots)}
      numeric={[1, 2]}
      sort={{ keys: SORT_KEYS, value: queryValue('sort'), onChange: (sort) => setQuery({ sort }) }}
      keyOf={(bot) => bot.bot_id}
      cells={(bot) => [
        <Meeting bot={bot} chosen={chosen} />,
        bot.preview?.people || TEXTS.none,
        bot.duration === null ? TEXTS.none : clock(bot.duration),
        <>
          <Status of={bot.status} />
          <FailedPart of={bot} />
          {bot.error_code !== null && <p class="soft small-text">{whyOf(bot, bot.preview)}</p>}
        </>,
        <Time at={bot.created_at} />,
      ]}
    />
  )
}

function FailedPart({ of: bot }: { of: Row }) {
  const label = bot.error_code === null ? null : partOf(bot.preview)
  return (
    label && (
      <>
        {' '}
        <span class="status bad">{label}</span>
      </>
    )
  )
}

function Meeting({ bot, chosen }: { bot: Row } & Choosing) {
  const picture = bot.preview?.picture ?? null
  return (
    <div class="meeting">
      {may('member') && (
        <input
          type="checkbox"
          aria-label={`Select ${bot.bot_name}`}
          checked={chosen.value.has(bot.bot_id)}
          onChange={(event) => {
            const next = new Set(chosen.value)
            if (event.currentTarget.checked) next.add(bot.bot_id)
            else next.delete(bot.bot_id)
            chosen.value = next
          }}
        />
      )}
      <div class="thumb">
        {picture === null ? <Platform of={bot.meeting_platform} /> : <img src={picture.url} alt="" loading="lazy" />}
      </div>
      <div>
        <Link to={`/bots/${bot.bot_id}`} class="row-link">
          <bdi>{bot.bot_name}</bdi>
        </Link>
        <p class="soft small-text one-line">
          {PLATFORM_TITLES[bot.meeting_platform]} · {bot.meeting_url.replace(/^https:\/\//, '')}
        </p>
      </div>
    </div>
  )
}

/** In a question about several. */
const MAX_NAMED = 5
const meetings = (count: number) => (count === 1 ? '1 meeting' : `${count} meetings`)

/** Actions on the chosen bots. Each bot gets only what its state permits. */
function Chosen({ bots, all, of: chosen }: { bots: readonly Row[]; all: readonly Row[]; of: Choosing['chosen'] }) {
  const action = useAction()
  const running = bots.filter((bot) => !hasEnded(bot))
  const ended = bots.filter(hasEnded)
  const names = (some: readonly Row[]) => {
    const shown = some.slice(0, MAX_NAMED).map(nameAndTime).join(', ')
    return some.length > MAX_NAMED ? `${shown} and ${some.length - MAX_NAMED} more` : shown
  }
  const withEach = (some: readonly Row[], send: (bot_id: string) => Promise<unknown>) => async () => {
    const results = await Promise.allSettled(some.map(({ bot_id }) => send(bot_id)))
    chosen.value = new Set()
    const refused = results.find((result) => result.status === 'rejected')
    if (refused !== undefined) throw refused.reason
    return `Requested for ${meetings(some.length)}.`
  }
  const leave = (bot_id: string) =>
    answerOf(v2.POST('/v2/bots/{bot_id}/leave', { params: { path: { bot_id } }, body: undefined }))
  const remove = (bot_id: string) =>
    answerOf(v2.DELETE('/v2/bots/{bot_id}/delete-data', { params: { path: { bot_id } } }))
  return (
    <>
      <OutcomeLine of={action} />
      {bots.length > 0 && (
        <div class="actions chosen">
          <b role="status">{`${bots.length} selected`}</b>
          {running.length > 0 && (
            <ActionButton
              of={action}
              work={withEach(running, leave)}
              confirmation={`Should the bots leave ${names(running)}? Their recordings are finished and kept.`}
            >
              {`Leave ${meetings(running.length)}`}
            </ActionButton>
          )}
          {ended.length > 0 && (
            <ActionButton
              of={action}
              kind="bad"
              work={withEach(ended, remove)}
              confirmation={`Delete the recordings and all data of ${names(ended)}? This cannot be undone.`}
            >
              {`Delete data of ${meetings(ended.length)}`}
            </ActionButton>
          )}
          <button
            type="button"
            onClick={() => {
              chosen.value = new Set(all.map(({ bot_id }) => bot_id))
            }}
          >
            {`Select all ${all.length}`}
          </button>
          <button
            type="button"
            onClick={() => {
              chosen.value = new Set()
            }}
          >
            Clear the selection
          </button>
        </div>
      )}
    </>
  )
}

function NoBots(): ComponentChildren {
  const isFiltered = FILTERS.some((name) => queryValue(name) !== '')
  return (
    <Empty icon={Video} text={isFiltered ? 'No bot matches these filters.' : EMPTY}>
      {isFiltered ? (
        <button type="button" onClick={() => setQuery(Object.fromEntries(FILTERS.map((name) => [name, ''])))}>
          Clear the filters
        </button>
      ) : (
        may('member') && (
          <Link to="/send" class="button main">
            {TEXTS.sendBot}
          </Link>
        )
      )}
    </Empty>
  )
}
