import { useSignal } from '@preact/signals'
import { answerOf, type RawCalendar, type Schemas, v2 } from '../api.ts'
import { CONNECT_TEXTS } from '../connect-texts.ts'
import { OutcomeLine, useAction } from '../parts/action.tsx'
import { ConnectButtons, isOffered, useConnectOutcome } from '../parts/connect.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Help, Status, Table, Time } from '../parts/pieces.tsx'
import { Link } from '../router.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'

const TITLE = 'Calendars'
const PLATFORMS = { google: 'Google', microsoft: 'Microsoft' }
const SCOPES = {
  google: 'Scope: https://www.googleapis.com/auth/calendar.readonly',
  microsoft: 'Scopes: Calendars.Read and offline_access',
}

/** Connected calendars, and how to connect another one. */
export function Calendars() {
  const action = useAction()
  useConnectOutcome(action, 'calendar')
  const calendars = useLoaded(() => answerOf(v2.GET('/v2/calendars', { params: { query: { limit: 250 } } })))
  return (
    <>
      <h1>{TITLE}</h1>
      <OutcomeLine of={action} />
      <Shown of={calendars}>
        {({ data }) => (
          <Table
            texts={{
              title: TITLE,
              columns: ['Account', 'Provider', 'Status', 'Last sync'],
              empty: 'No calendar is connected.',
            }}
            entries={data}
            keyOf={(calendar) => calendar.calendar_id}
            cells={(calendar) => [
              <Link to={`/calendars/${calendar.calendar_id}`}>{calendar.account_email}</Link>,
              PLATFORMS[calendar.calendar_platform],
              <Status of={calendar.status} texts={TEXTS.calendarStates} />,
              <Time at={calendar.synced_at} />,
            ]}
          />
        )}
      </Shown>
      {may('member') && (
        <section>
          <h2>Connect a calendar</h2>
          <ConnectButtons of={action} providers={['google', 'microsoft']} />
          <details open={!isOffered('google') && !isOffered('microsoft')}>
            <summary>{CONNECT_TEXTS.ownApp}</summary>
            <Connect onConnected={calendars.reload} />
          </details>
        </section>
      )}
    </>
  )
}

type Credentials = Schemas['ListRawCalendarsInput']

/** First checks the credentials and lists the calendars of the account; then connects one of them. */
function Connect({ onConnected }: { onConnected: () => Promise<void> }) {
  const action = useAction()
  const platform = useSignal<'google' | 'microsoft'>('google')
  const found = useSignal<{ credentials: Credentials; calendars: RawCalendar[] } | null>(null)

  async function check({ tenant, ...fields }: Record<string, string>): Promise<null> {
    const credentials = {
      ...(fields as unknown as Credentials),
      calendar_platform: platform.value,
      ...(tenant && { oauth_tenant_id: tenant }),
    }
    const { data } = await answerOf(v2.POST('/v2/calendars/list-raw', { body: credentials }))
    found.value = { credentials, calendars: data }
    return null
  }

  async function connect(id: string): Promise<string> {
    const body = { ...found.value!.credentials, raw_calendar_id: id }
    await answerOf(v2.POST('/v2/calendars', { body }))
    found.value = null
    await onConnected()
    return 'The calendar is connected. The first sync has started.'
  }

  return (
    <>
      <Help
        text="You need your own OAuth app at the provider, and a refresh token of the user. The documentation explains how to get both."
        page="calendars"
      />
      <p class="soft">{SCOPES[platform.value]}</p>
      <OutcomeLine of={action} />
      {found.value === null ? (
        <Form of={action} submit="Check credentials and list calendars" onSubmit={check}>
          <Choice
            label="Provider"
            name="calendar_platform"
            options={PLATFORMS}
            value={platform.value}
            onChange={(value) => {
              platform.value = value as 'google' | 'microsoft'
            }}
          />
          <Field label="Client ID" name="oauth_client_id" required autocomplete="off" />
          <Field label="Client secret" name="oauth_client_secret" type="password" required autocomplete="off" />
          <Field label="Refresh token" name="oauth_refresh_token" type="password" required autocomplete="off" />
          {platform.value === 'microsoft' && <Field label={TEXTS.tenant} name="tenant" autocomplete="off" />}
        </Form>
      ) : (
        <>
          <p>The credentials and scopes are valid. Choose the calendar to connect.</p>
          <ul>
            {found.value.calendars.map(({ id, name, email, is_primary }) => (
              <li key={id}>
                {name} <span class="soft">{email}</span> {is_primary && <b>primary</b>}{' '}
                <button type="button" disabled={action.isBusy.value} onClick={() => action.run(() => connect(id))}>
                  Connect
                </button>
              </li>
            ))}
          </ul>
          <button
            type="button"
            onClick={() => {
              found.value = null
            }}
          >
            Use other credentials
          </button>
        </>
      )}
    </>
  )
}
