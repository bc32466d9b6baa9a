import { useSignal } from '@preact/signals'
import { type Answers, dashboard, dataOf } from '../api.ts'
import { changes } from '../feed.ts'
import { type Action, ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { dateTime } from '../parts/format.ts'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Secret, Status, Table, Time } from '../parts/pieces.tsx'
import { Link } from '../router.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'

type State = Answers['Delivery']['state']
const REPLAY_DAYS = 7

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
      <h1>{TEXTS.webhooks.title}</h1>
      <OutcomeLine of={action} />
      {secret.value !== null && <Secret title="" value={secret.value} />}
      <section>
        <h2>{TEXTS.webhooks.endpoints}</h2>
        <Shown of={endpoints}>
          {(list) => (
            <>
              {list.length === 0 && <p class="soft">{TEXTS.webhooks.noEndpoints}</p>}
              {list.map((endpoint) => (
                <Endpoint
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
          <Form
            of={action}
            submit={TEXTS.webhooks.add}
            onSubmit={({ url = '' }) => shownSecret(dataOf(dashboard.POST('/endpoints', { body: { url } })))}
          >
            <Field label={TEXTS.webhooks.url} name="url" type="url" required maxLength={2048} autocomplete="off" />
          </Form>
        )}
      </section>
      <Deliveries action={action} />
    </>
  )
}

interface EndpointProps {
  endpoint: Answers['Endpoint']
  action: Action
  reload: () => Promise<void>
  onSecret: (request: Promise<{ secret: string | null }>) => Promise<null>
}

function Endpoint({ endpoint, action, reload, onSecret }: EndpointProps) {
  const { endpoint_id: id, url, disabled_reason: disabled, failing_since: failing } = endpoint
  const texts = TEXTS.webhooks
  const options = { params: { path: { endpoint_id: id } } }
  return (
    <div>
      <p>
        <b>{url}</b>{' '}
        <span class="soft">
          {disabled !== null
            ? texts.disabled(disabled)
            : failing !== null
              ? texts.failing(dateTime(failing))
              : texts.working}
        </span>
      </p>
      <div class="actions">
        {may('member') && (
          <ActionButton
            of={action}
            work={async () => (await dataOf(dashboard.POST('/endpoints/{endpoint_id}/test', options))).message}
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
          <ActionButton
            of={action}
            work={() => onSecret(dataOf(dashboard.POST('/endpoints/{endpoint_id}/rotate', options)))}
          >
            {texts.rotate}
          </ActionButton>
        )}
        {may('owner') && disabled !== null && (
          <ActionButton
            of={action}
            work={async () => {
              const { message } = await dataOf(dashboard.POST('/endpoints/{endpoint_id}/enable', options))
              await reload()
              return message
            }}
          >
            {texts.enable}
          </ActionButton>
        )}
      </div>
    </div>
  )
}

function Deliveries({ action }: { action: Action }) {
  const state = useSignal<State | ''>('')
  const deliveries = useLoaded(
    () => {
      const query = { limit: 100, ...(state.value && { state: state.value }) }
      return dataOf(dashboard.GET('/deliveries', { params: { query } }))
    },
    () => [changes.value, state.value],
  )
  const texts = TEXTS.webhooks
  return (
    <section>
      <h2>{texts.deliveries}</h2>
      <div class="actions">
        <Choice
          label={TEXTS.bots.status}
          name="state"
          options={{ '': texts.any, ...texts.states }}
          value={state.value}
          onChange={(value) => {
            state.value = value as State | ''
          }}
        />
      </div>
      <Shown of={deliveries}>
        {(list) => (
          <Table
            texts={{ title: texts.deliveries, columns: texts.columns, empty: texts.noDeliveries }}
            entries={list}
            numeric={[3]}
            keyOf={(row) => row.delivery}
            cells={(row) => [
              row.bot_id === null ? row.event : <Link to={`/bots/${row.bot_id}`}>{row.event}</Link>,
              row.url,
              <Status of={row.state} texts={texts.states} />,
              row.attempts,
              row.last_status ?? row.last_error ?? TEXTS.none,
              <Time at={row.created_at} />,
              may('member') && row.state !== 'waiting' && row.state !== 'sending' && (
                <ActionButton
                  of={action}
                  work={async () => {
                    const path = { delivery: String(row.delivery) }
                    const request = dashboard.POST('/deliveries/{delivery}/replay', { params: { path } })
                    const { deliveries: count } = await dataOf(request)
                    await deliveries.reload()
                    return texts.replayed(count)
                  }}
                >
                  {texts.replay}
                </ActionButton>
              ),
            ]}
          />
        )}
      </Shown>
    </section>
  )
}
