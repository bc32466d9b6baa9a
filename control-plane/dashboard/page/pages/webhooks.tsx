import { useSignal } from '@preact/signals'
import { ask, type DeliveryRow, type EndpointRow } from '../api.ts'
import { changes } from '../feed.ts'
import { type Action, ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { dateTime } from '../parts/format.ts'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Secret, Status, Table, Time } from '../parts/pieces.tsx'
import { Link } from '../router.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'

const REPLAY_DAYS = 7

/** Endpoints, and everything that was sent to them. */
export function Webhooks() {
  const action = useAction()
  const secret = useSignal<string | null>(null)
  const endpoints = useLoaded(
    () => ask<EndpointRow[]>('GET', '/endpoints'),
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
            onSubmit={({ url }) => shownSecret(ask('POST', '/endpoints', { url }))}
          >
            <Field label={TEXTS.webhooks.url} name="url" type="url" required maxLength={2048} autocomplete="off" />
          </Form>
        )}
      </section>
      <Deliveries action={action} />
    </>
  )
}

function Endpoint({
  endpoint,
  action,
  reload,
  onSecret,
}: {
  endpoint: EndpointRow
  action: Action
  reload: () => Promise<void>
  onSecret: (request: Promise<{ secret: string | null }>) => Promise<null>
}) {
  const { endpoint_id: id, url, disabled_reason: disabled, failing_since: failing } = endpoint
  const texts = TEXTS.webhooks
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
            work={async () => (await ask<{ message: string }>('POST', `/endpoints/${id}/test`)).message}
          >
            {texts.test}
          </ActionButton>
        )}
        {may('member') && (
          <ActionButton
            of={action}
            work={async () => {
              const since = new Date(Date.now() - REPLAY_DAYS * 86_400_000).toISOString()
              const { deliveries } = await ask<{ deliveries: number }>('POST', `/endpoints/${id}/replay`, { since })
              return texts.replayed(deliveries)
            }}
          >
            {texts.replayFailed}
          </ActionButton>
        )}
        {may('owner') && endpoint.kind === 'team' && (
          <ActionButton of={action} work={() => onSecret(ask('POST', `/endpoints/${id}/rotate`))}>
            {texts.rotate}
          </ActionButton>
        )}
        {may('owner') && disabled !== null && (
          <ActionButton
            of={action}
            work={async () => {
              const { message } = await ask<{ message: string }>('POST', `/endpoints/${id}/enable`)
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
  const state = useSignal('')
  const deliveries = useLoaded(
    () => ask<DeliveryRow[]>('GET', `/deliveries?limit=100${state.value && `&state=${state.value}`}`),
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
            state.value = value
          }}
        />
      </div>
      <Shown of={deliveries}>
        {(list) =>
          list.length === 0 ? (
            <p class="soft">{texts.noDeliveries}</p>
          ) : (
            <Table columns={texts.columns} label={texts.deliveries}>
              {list.map((row) => (
                <tr key={row.delivery}>
                  <td>{row.bot_id === null ? row.event : <Link to={`/bots/${row.bot_id}`}>{row.event}</Link>}</td>
                  <td>{row.url}</td>
                  <td>
                    <Status of={row.state} texts={texts.states} />
                  </td>
                  <td class="number">{row.attempts}</td>
                  <td>{row.last_status ?? row.last_error ?? TEXTS.none}</td>
                  <td>
                    <Time at={row.created_at} />
                  </td>
                  <td>
                    {may('member') && row.state !== 'waiting' && row.state !== 'sending' && (
                      <ActionButton
                        of={action}
                        work={async () => {
                          const { deliveries: count } = await ask<{ deliveries: number }>(
                            'POST',
                            `/deliveries/${row.delivery}/replay`,
                          )
                          await deliveries.reload()
                          return texts.replayed(count)
                        }}
                      >
                        {texts.replay}
                      </ActionButton>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
    </section>
  )
}
