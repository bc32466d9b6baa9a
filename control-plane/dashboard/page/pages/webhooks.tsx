import { useSignal } from '@preact/signals'
import { Webhook } from 'lucide'
import { isLiveWebhook, WEBHOOK_EVENTS } from '../../../bots/messages/kinds.ts'
import { type Answers, dashboard, dataOf } from '../api.ts'
import { changes } from '../feed.ts'
import { type Action, ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { Deliveries } from '../parts/deliveries.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { dateTime } from '../parts/format.ts'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Empty, Secret, Status } from '../parts/pieces.tsx'
import { queryValue, setQuery } from '../router.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'

const ADD = 'Add endpoint'
const KINDS = { team: '', account: 'Of the older generation of the API.' } as Record<string, string>

type State = Answers['Delivery']['state']
type Endpoint = Answers['Endpoint']
type NewEndpoint = { url: string; events: (typeof WEBHOOK_EVENTS)[number][] | null; live_within_seconds?: number }
const REPLAY_DAYS = 7

/** Endpoints and their deliveries. */
export function Webhooks() {
  const action = useAction()
  const secret = useSignal<string | null>(null)
  const isAdded = useSignal(false)
  const endpoints = useLoaded(
    () => dataOf(dashboard.GET('/endpoints')),
    () => changes.value,
  )
  const shownSecret = async (request: Promise<{ secret: string | null }>) => {
    secret.value = (await request).secret
    await endpoints.reload()
    return null
  }
  return (
    <>
      <h1>Webhooks</h1>
      <OutcomeLine of={action} />
      {secret.value !== null && (
        <Secret title="The secret of the endpoint, which checks signatures." value={secret.value} />
      )}
      <section>
        <h2>Endpoints</h2>
        <Shown of={endpoints}>
          {(list) => (
            <>
              {list.length === 0 && !isAdded.value && (
                <Empty
                  icon={Webhook}
                  text="There are no endpoints. Add one to receive a signed webhook when a recording is ready."
                />
              )}
              {list.map((endpoint) => (
                <EndpointRow
                  key={endpoint.endpoint_id}
                  endpoint={endpoint}
                  action={action}
                  reload={endpoints.reload}
                  onSecret={shownSecret}
                />
              ))}
            </>
          )}
        </Shown>
        {may('owner') && (
          <>
            <div class="actions">
              <button
                type="button"
                class={isAdded.value ? '' : 'main'}
                aria-expanded={isAdded.value}
                onClick={() => {
                  isAdded.value = !isAdded.value
                }}
              >
                {isAdded.value ? 'Cancel' : ADD}
              </button>
            </div>
            {isAdded.value && (
              <EndpointForm
                of={action}
                submit={ADD}
                onSubmit={async (body) => {
                  await shownSecret(dataOf(dashboard.POST('/endpoints', { body })))
                  isAdded.value = false
                  return null
                }}
              />
            )}
          </>
        )}
      </section>
      <Shown of={endpoints}>{(list) => <AllDeliveries endpoints={list} />}</Shown>
    </>
  )
}

interface EndpointFormProps {
  of: Action
  submit: string
  endpoint?: Endpoint
  onSubmit: (endpoint: NewEndpoint) => Promise<string | null>
}

/** Address and events. All events but live ones, or none, stand for every such event, also those of later versions. */
function EndpointForm({ of, submit, endpoint, onSubmit }: EndpointFormProps) {
  const live = useSignal<readonly string[]>(
    WEBHOOK_EVENTS.filter((event) => isLiveWebhook(event) && endpoint?.events?.includes(event)),
  )
  return (
    <Form
      of={of}
      submit={submit}
      onSubmit={({ url = '', ...fields }) => {
        const chosen = WEBHOOK_EVENTS.filter((event) => fields[event] !== undefined)
        const isEvery = WEBHOOK_EVENTS.every((event) => isLiveWebhook(event) !== chosen.includes(event))
        return onSubmit({
          url,
          events: chosen.length === 0 || isEvery ? null : chosen,
          ...(fields.within && chosen.some(isLiveWebhook) && { live_within_seconds: Number(fields.within) }),
        })
      }}
    >
      <Field
        label="URL"
        name="url"
        type="url"
        required
        maxLength={2048}
        autocomplete="off"
        defaultValue={endpoint?.url}
      />
      <fieldset>
        <legend>Events (none selected: all but the live ones)</legend>
        {WEBHOOK_EVENTS.map((event) => (
          <label key={event} class="check">
            <input
              type="checkbox"
              name={event}
              defaultChecked={endpoint?.events?.includes(event) ?? false}
              onChange={({ currentTarget: { checked } }) => {
                const others = live.value.filter((one) => one !== event)
                if (isLiveWebhook(event)) live.value = checked ? [...others, event] : others
              }}
            />
            {event}
            {isLiveWebhook(event) && <span class="soft">live</span>}
          </label>
        ))}
      </fieldset>
      {live.value.length > 0 && (
        <Field
          label="Seconds in which live events are gathered"
          name="within"
          type="number"
          min={0.2}
          max={60}
          step={0.1}
          defaultValue={String(endpoint?.live_within_seconds ?? 1)}
        />
      )}
    </Form>
  )
}

interface EndpointProps {
  endpoint: Endpoint
  action: Action
  reload: () => Promise<void>
  onSecret: (request: Promise<{ secret: string | null }>) => Promise<null>
}

function EndpointRow({ endpoint, action, reload, onSecret }: EndpointProps) {
  const { endpoint_id: id, url, events, disabled_reason: disabled, failing_since: failing } = endpoint
  const isEdited = useSignal(false)
  const options = { params: { path: { endpoint_id: id } } }
  const state = disabled !== null ? 'disabled' : failing !== null ? 'failing' : 'active'
  const messageOf = async (request: Promise<{ message: string }>) => {
    const { message } = await request
    isEdited.value = false
    await reload()
    return message
  }
  return (
    <div class="endpoint">
      <p>
        <b>{url}</b> <Status of={state} texts={{ active: 'Active', failing: 'Failing', disabled: 'Disabled' }} />
      </p>
      <p class="soft small-text">
        {KINDS[endpoint.kind]} {events === null ? 'Every event' : events.join(', ')}
        {disabled !== null && ` · ${`Disabled: ${disabled}`}`}
        {disabled === null && failing !== null && ` · ${`Failing since ${dateTime(failing)}`}`}
      </p>
      <div class="actions">
        {may('member') && (
          <ActionButton
            of={action}
            work={() => messageOf(dataOf(dashboard.POST('/endpoints/{endpoint_id}/test', options)))}
          >
            Send a test webhook
          </ActionButton>
        )}
        {may('member') && (
          <ActionButton
            of={action}
            work={async () => {
              const since = new Date(Date.now() - REPLAY_DAYS * 86_400_000).toISOString()
              const request = dashboard.POST('/endpoints/{endpoint_id}/replay', { ...options, body: { since } })
              const { deliveries } = await dataOf(request)
              return TEXTS.replayed(deliveries)
            }}
          >
            Resend failed deliveries of the last 7 days
          </ActionButton>
        )}
        {may('owner') && endpoint.kind === 'team' && (
          <>
            <button
              type="button"
              aria-expanded={isEdited.value}
              onClick={() => {
                isEdited.value = !isEdited.value
              }}
            >
              Edit
            </button>
            <ActionButton
              of={action}
              confirmation="Make a new secret? For 24 hours both secrets sign."
              work={() => onSecret(dataOf(dashboard.POST('/endpoints/{endpoint_id}/rotate', options)))}
            >
              Rotate the secret
            </ActionButton>
            {disabled === null && (
              <ActionButton
                of={action}
                confirmation="Disable this endpoint? Deliveries that wait for it are dropped."
                work={() => messageOf(dataOf(dashboard.POST('/endpoints/{endpoint_id}/disable', options)))}
              >
                Disable
              </ActionButton>
            )}
            <ActionButton
              of={action}
              kind="bad"
              confirmation="Delete this endpoint? Its past deliveries remain in the list."
              work={() => messageOf(dataOf(dashboard.DELETE('/endpoints/{endpoint_id}', options)))}
            >
              Delete
            </ActionButton>
          </>
        )}
        {may('owner') && disabled !== null && (
          <ActionButton
            of={action}
            work={() => messageOf(dataOf(dashboard.POST('/endpoints/{endpoint_id}/enable', options)))}
          >
            Enable
          </ActionButton>
        )}
      </div>
      {isEdited.value && (
        <EndpointForm
          of={action}
          submit="Save"
          endpoint={endpoint}
          onSubmit={(body) => messageOf(dataOf(dashboard.PATCH('/endpoints/{endpoint_id}', { ...options, body })))}
        />
      )}
    </div>
  )
}

/** By status, event and endpoint, which the address keeps. */
function AllDeliveries({ endpoints }: { endpoints: readonly Answers['Endpoint'][] }) {
  const [state, event, endpoint] = [queryValue('state') as State | '', queryValue('event'), queryValue('endpoint')]
  const choose = (name: string) => (value: string) => setQuery({ [name]: value })
  const events = Object.fromEntries(WEBHOOK_EVENTS.map((name) => [name, name]))
  const addresses = Object.fromEntries(endpoints.map((one) => [one.endpoint_id, one.url]))
  return (
    <section>
      <h2>Deliveries</h2>
      <div class="actions filters">
        <Choice
          label="Status"
          name="state"
          options={{ '': 'Any status', ...TEXTS.deliveryStates }}
          value={state}
          onChange={choose('state')}
        />
        <Choice
          label="Event"
          name="event"
          options={{ '': 'Any event', ...events }}
          value={event}
          onChange={choose('event')}
        />
        <Choice
          label="Endpoint"
          name="endpoint"
          options={{ '': 'Any endpoint', ...addresses }}
          value={endpoint}
          onChange={choose('endpoint')}
        />
      </div>
      <Deliveries
        filter={{ ...(state && { state }), ...(event && { event }), ...(endpoint && { endpoint_id: endpoint }) }}
      />
    </section>
  )
}
