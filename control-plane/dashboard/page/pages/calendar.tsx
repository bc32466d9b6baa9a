import { useSignal } from '@preact/signals'
import { DEFAULT_BOT_NAME } from '@standin/wire/codes.ts'
import { answerOf, type CalendarEventItem, dashboard, dataOf, type RawCalendar, type Schemas, v2 } from '../api.ts'
import { CONNECT_TEXTS } from '../connect-texts.ts'
import { changes } from '../feed.ts'
import { type Action, ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { ConnectButton, isOffered, useConnectOutcome } from '../parts/connect.tsx'
import { Field, Form } from '../parts/form.tsx'
import { dateTime } from '../parts/format.ts'
import { Shown, useLoaded } from '../parts/load.tsx'
import { MeetingLink, Status, Table, Time } from '../parts/pieces.tsx'
import { navigate } from '../router.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'

const EVENTS = 'Events of the next 30 days'

/** One calendar: its state, its events, and which of them get a bot. */
export function Calendar({ id }: { id: string }) {
  const action = useAction()
  useConnectOutcome(action, 'calendar')
  const params = { path: { calendar_id: id } }
  const calendar = useLoaded(() => answerOf(v2.GET('/v2/calendars/{calendar_id}', { params })), undefined, [id])
  const remove = async () => {
    await answerOf(v2.DELETE('/v2/calendars/{calendar_id}', { params }))
    navigate('/calendars')
    return null
  }
  const sync = async () => {
    const { data } = await answerOf(v2.POST('/v2/calendars/{calendar_id}/sync', { params, body: undefined }))
    await calendar.reload()
    return data.message
  }
  const resubscribe = async () => {
    const { data } = await answerOf(v2.POST('/v2/calendars/{calendar_id}/resubscribe', { params, body: undefined }))
    await calendar.reload()
    return data.problem ?? 'The subscription is renewed.'
  }
  return (
    <>
      <Shown of={calendar}>
        {({ data }) => (
          <>
            <h1>
              {data.account_email} <Status of={data.status} texts={TEXTS.calendarStates} />
            </h1>
            {data.status_message !== null && <p class="notice bad">{data.status_message}</p>}
            {data.sync_error !== null && <p class="notice bad">{data.sync_error}</p>}
            <p class="soft">
              {data.provider_metadata?.name != null && `${data.provider_metadata.name} · `}
              Last sync: <Time at={data.synced_at} /> ·{' '}
              {data.subscription_expires_at === null
                ? 'polled every 15 minutes, because the provider sends no push notifications to this service'
                : `push notifications are on; the subscription is renewed before ${dateTime(data.subscription_expires_at)}`}
            </p>
            {may('member') && (
              <div class="actions">
                <ActionButton of={action} work={sync}>
                  Sync now
                </ActionButton>
                {data.status !== 'active' && isOffered(data.calendar_platform) && (
                  <ConnectButton
                    of={action}
                    kind="main"
                    provider={data.calendar_platform}
                    target={{ calendar_id: id }}
                    label={CONNECT_TEXTS.again}
                  />
                )}
                <ActionButton of={action} work={resubscribe}>
                  Renew the subscription
                </ActionButton>
                <ActionButton
                  of={action}
                  kind="bad"
                  confirmation="Disconnect this calendar? Its events are removed and scheduled bots are cancelled."
                  work={remove}
                >
                  Disconnect
                </ActionButton>
              </div>
            )}
          </>
        )}
      </Shown>
      <OutcomeLine of={action} />
      <Events calendarId={id} action={action} />
      {may('member') && calendar.value.value && <Others of={action} calendar={calendar.value.value.data} />}
      {may('member') && <Credentials calendarId={id} action={action} reload={calendar.reload} />}
    </>
  )
}

/** Why no bot can join; null if one can. */
function whyNone({ status, meeting_url, end_time }: CalendarEventItem): string | null {
  if (status === 'cancelled') return 'No bot: the event is cancelled'
  if (new Date(end_time).getTime() < Date.now()) return 'No bot: the event has ended'
  if (meeting_url === null) return 'No bot: the event has no meeting link'
  return null
}

function Events({ calendarId, action }: { calendarId: string; action: Action }) {
  const name = useSignal(DEFAULT_BOT_NAME)
  const path = { calendar_id: calendarId }
  const events = useLoaded(
    () => {
      const query = { limit: 250, start_date: new Date(Date.now() - 86_400_000).toISOString() }
      return answerOf(v2.GET('/v2/calendars/{calendar_id}/events', { params: { path, query } }))
    },
    () => changes.value,
    [calendarId],
  )
  const of = (answer: { data: unknown[]; errors: { message: string }[] }) => async () => {
    await events.reload()
    const [first] = answer.errors
    if (first !== undefined && answer.data.length === 0) throw new Error(first.message)
    return answer.data.length === 1 ? '1 event changed.' : `${answer.data.length} events changed.`
  }
  const schedule = async (event: CalendarEventItem, isWhole: boolean) => {
    const body = { ...targetOf(event, isWhole), bot_name: name.value }
    return of(await answerOf(v2.POST('/v2/calendars/{calendar_id}/bots', { params: { path }, body })))()
  }
  const cancel = async (event: CalendarEventItem, isWhole: boolean) => {
    const body = targetOf(event, isWhole)
    return of(await answerOf(v2.DELETE('/v2/calendars/{calendar_id}/bots', { params: { path }, body })))()
  }
  /** For the event, and for the whole series that it belongs to. */
  const buttonsOf = (event: CalendarEventItem) => {
    if (!event.bot_scheduled && whyNone(event) !== null) return null
    const work = event.bot_scheduled ? cancel : schedule
    const [one, all] = event.bot_scheduled
      ? ['Cancel the bot', 'Cancel for the whole series']
      : ['Schedule a bot', 'Schedule for the whole series']
    return (
      <>
        <ActionButton of={action} work={() => work(event, false)}>
          {one}
        </ActionButton>
        {event.event_type === 'recurring' && (
          <ActionButton of={action} work={() => work(event, true)}>
            {all}
          </ActionButton>
        )}
      </>
    )
  }
  return (
    <section>
      <h2>{EVENTS}</h2>
      {may('member') && (
        <div class="actions filters">
          <label>
            Name of new bots
            <input
              value={name.value}
              maxLength={255}
              onInput={(event) => {
                name.value = event.currentTarget.value
              }}
            />
          </label>
        </div>
      )}
      <Shown of={events}>
        {({ data }) => (
          <Table
            texts={{ title: EVENTS, columns: ['Event', 'Starts', 'Meeting', 'Bot', ''], empty: 'There are no events.' }}
            entries={data}
            keyOf={(event) => event.event_id}
            cells={(event) => [
              event.title,
              <Time at={event.start_time} />,
              event.meeting_url === null ? TEXTS.none : <MeetingLink of={event.meeting_url} />,
              event.bot_scheduled ? 'Bot scheduled' : (whyNone(event) ?? 'No bot scheduled'),
              may('member') && <div class="actions">{buttonsOf(event)}</div>,
            ]}
          />
        )}
      </Shown>
    </section>
  )
}

/** Each further calendar of the account is connected by a separate consent. */
function Others({ of: action, calendar }: { of: Action; calendar: Schemas['Calendar'] }) {
  const found = useSignal<readonly RawCalendar[] | null>(null)
  const { calendar_id, calendar_platform: provider } = calendar
  if (!isOffered(provider)) return null
  const show = async () => {
    const params = { path: { calendar_id } }
    found.value = await dataOf(dashboard.GET('/calendars/{calendar_id}/others', { params }))
    return null
  }
  return (
    <section>
      <h2>{CONNECT_TEXTS.others}</h2>
      {found.value === null ? (
        <ActionButton of={action} work={show}>
          {CONNECT_TEXTS.showOthers}
        </ActionButton>
      ) : (
        <Table
          texts={{ title: CONNECT_TEXTS.others, columns: CONNECT_TEXTS.otherColumns, empty: CONNECT_TEXTS.noOthers }}
          entries={found.value}
          keyOf={({ id }) => id}
          cells={({ id, name }) => [
            name,
            <ConnectButton
              of={action}
              provider={provider}
              target={{ calendar_id, raw_calendar_id: id }}
              label={CONNECT_TEXTS.connectOther}
            />,
          ]}
        />
      )}
    </section>
  )
}

const targetOf = ({ series_id, event_id }: CalendarEventItem, isWhole: boolean) => ({
  series_id,
  event_id,
  all_occurrences: isWhole,
})

interface CredentialsProps {
  calendarId: string
  action: Action
  reload: () => Promise<void>
}

/** Replaces the credentials of a connection whose token was refused or whose app has a new secret. */
function Credentials({ calendarId, action, reload }: CredentialsProps) {
  return (
    <section>
      <h2>Replace the credentials</h2>
      <Form
        of={action}
        submit="Save"
        onSubmit={async ({ tenant, ...fields }) => {
          const body = {
            ...(fields as unknown as Schemas['UpdateCalendarInput']),
            ...(tenant && { oauth_tenant_id: tenant }),
          }
          const options = { params: { path: { calendar_id: calendarId } }, body }
          await answerOf(v2.PATCH('/v2/calendars/{calendar_id}', options))
          await reload()
          return 'Saved.'
        }}
      >
        <Field label="Client ID" name="oauth_client_id" required autocomplete="off" />
        <Field label="Client secret" name="oauth_client_secret" type="password" required autocomplete="off" />
        <Field label="Refresh token" name="oauth_refresh_token" type="password" required autocomplete="off" />
        <Field label={TEXTS.tenant} name="tenant" autocomplete="off" />
      </Form>
    </section>
  )
}
