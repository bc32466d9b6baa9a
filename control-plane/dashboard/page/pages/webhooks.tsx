import { useSignal } from '@preact/signals'
import { Webhook } from 'lucide'
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
import { isLiveWebhook, TEXTS, WEBHOOK_EVENTS } from '../texts.ts'

type State = Answers['Delivery']['state']
type Endpoint = Answers['Endpoint']
type NewEndpoint = { url: string; events: (typeof WEBHOOK_EVENTS)[number][] | null; live_within_seconds?: number }
const REPLAY_DAYS = 7
const texts = TEXTS.webhooks

/** Endpoints and their deliveries. */
export function Webhooks() {
  const action = useAction()
  const secret = useSignal<string | null>(null)
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
      <h1>{texts.title}</h1>
      <OutcomeLine of={action} />
      {secret.value !== null && <Secret title={texts.secret} value={secret.value} />}
      <section>
        <h2>{texts.endpoints}</h2>
        <Shown of={endpoints}>
          {(list) => (
            <>
              {list.length === 0 && <Empty icon={Webhook} text={texts.noEndpoints} />}
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
          <details>
            <summary class="button main">{texts.add}</summary>
            <EndpointForm
              of={action}
              submit={texts.add}
              onSubmit={(body) => shownSecret(dataOf(dashboard.POST('/endpoints', { body })))}
            />
          </details>
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
        label={texts.url}
        name="url"
        type="url"
        required
        maxLength={2048}
        autocomplete="off"
        defaultValue={endpoint?.url}
      />
      <fieldset>
        <legend>{texts.events}</legend>
        {WEBHOOK_EVENTS.map((event) => (
          <label key={event} class="check">
            <input type="checkbox" name={event} defaultChecked={endpoint?.events?.includes(event) ?? false} />
            {event}
            {isLiveWebhook(event) && <span class="soft">{texts.live}</span>}
          </label>
        ))}
        <Field
          label={texts.within}
          name="within"
          type="number"
          min={0.2}
          max={60}
          step={0.1}
          defaultValue={String(endpoint?.live_within_seconds ?? 1)}
        />
      </fieldset>
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
        <b>{url}</b> <Status of={state} texts={texts.endpointStates} />
      </p>
      <p class="soft small-text">
        {texts.kinds[endpoint.kind]} {events === null ? texts.everyEvent : events.join(', ')}
        {disabled !== null && ` · ${texts.disabled(disabled)}`}
        {disabled === null && failing !== null && ` · ${texts.failing(dateTime(failing))}`}
      </p>
      <div class="actions">
        {may('member') && (
          <ActionButton
            of={action}
            work={() => messageOf(dataOf(dashboard.POST('/endpoints/{endpoint_id}/test', options)))}
          >
            {texts.test}
          </ActionButton>
        )}
        {may('member') && (
          <ActionButton
            of={action}
            work={async () => {
              const since = new Date(Date.now() - REPLAY_DAYS * 86_400_000).toISOString()
              const request = dashboard.POST('/endpoints/{endpoint_id}/replay', { ...options, body: { since } })
              const { deliveries } = await dataOf(request)
              return texts.replayed(deliveries)
            }}
          >
            {texts.replayFailed}
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
              {texts.edit}
            </button>
            <ActionButton
              of={action}
              confirmation={texts.rotateSure}
              work={() => onSecret(dataOf(dashboard.POST('/endpoints/{endpoint_id}/rotate', options)))}
            >
              {texts.rotate}
            </ActionButton>
            {disabled === null && (
              <ActionButton
                of={action}
                confirmation={texts.disableSure}
                work={() => messageOf(dataOf(dashboard.POST('/endpoints/{endpoint_id}/disable', options)))}
              >
                {texts.disable}
              </ActionButton>
            )}
            <ActionButton
              of={action}
              kind="bad"
              confirmation={texts.removeSure}
              work={() => messageOf(dataOf(dashboard.DELETE('/endpoints/{endpoint_id}', options)))}
            >
              {texts.remove}
            </ActionButton>
          </>
        )}
        {may('owner') && disabled !== null && (
          <ActionButton
            of={action}
            work={() => messageOf(dataOf(dashboard.POST('/endpoints/{endpoint_id}/enable', options)))}
          >
            {texts.enable}
          </ActionButton>
        )}
      </div>
      {isEdited.value && (
        <EndpointForm
          of={action}
          submit={TEXTS.save}
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
      <h2>{texts.deliveries}</h2>
      <div class="actions filters">
        <Choice
          label={TEXTS.bots.status}
          name="state"
          options={{ '': texts.any, ...texts.states }}
          value={state}
          onChange={choose('state')}
        />
        <Choice
          label={texts.event}
          name="event"
          options={{ '': texts.anyEvent, ...events }}
          value={event}
          onChange={choose('event')}
        />
        <Choice
          label={texts.endpoint}
          name="endpoint"
          options={{ '': texts.anyEndpoint, ...addresses }}
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
