import { answerOf, v2 } from '../api.ts'
import { CONNECT_TEXTS } from '../connect-texts.ts'
import { ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { ConnectButtons, isOffered, useConnectOutcome } from '../parts/connect.tsx'
import { Field, Form } from '../parts/form.tsx'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Help, Status, Table, Time } from '../parts/pieces.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'

/** Stored credentials of Zoom, of an app and of users who authorized it, and of bots that are registered at Microsoft Teams. */
export function Connections() {
  const texts = TEXTS.connections
  const action = useAction()
  useConnectOutcome(action, 'zoom')
  const credentials = useLoaded(() => answerOf(v2.GET('/v2/conf-credentials')))
  const remove = async (id: string) => {
    const options = { params: { path: { credential_id: id } } }
    const { data } = await answerOf(v2.DELETE('/v2/conf-credentials/{credential_id}', options))
    await credentials.reload()
    return data.message
  }
  return (
    <>
      <h1>{texts.title}</h1>
      <Help text={texts.help} page="connections" />
      <OutcomeLine of={action} />
      <Shown of={credentials}>
        {({ data }) => (
          <Table
            texts={texts}
            entries={data}
            keyOf={(credential) => credential.credential_id}
            cells={(credential) => [
              <>
                {credential.name}
                <br />
                <span class="soft">{credential.credential_id}</span>
              </>,
              texts.types[credential.platform === 'teams' ? 'teams' : credential.credential_type],
              credential.conf_email ?? credential.conf_user_id ?? credential.tenant_id ?? TEXTS.none,
              <>
                <Status of={credential.state} texts={texts.states} />
                {credential.last_error_message !== null && (
                  <p class="soft">
                    {credential.last_error_message} <Time at={credential.last_error_at} />
                  </p>
                )}
              </>,
              may('member') && (
                <ActionButton
                  of={action}
                  kind="bad"
                  confirmation={texts.removeSure}
                  work={() => remove(credential.credential_id)}
                >
                  {texts.remove}
                </ActionButton>
              ),
            ]}
          />
        )}
      </Shown>
      {may('member') && (
        <section>
          <h2>{texts.add}</h2>
          <ConnectButtons of={action} providers={['zoom']} />
          <details open={!isOffered('zoom')}>
            <summary>{CONNECT_TEXTS.ownZoomApp}</summary>
            <Form
              of={action}
              submit={texts.add}
              onSubmit={async ({ name = '', client_id = '', client_secret = '', ...rest }) => {
                const { authorization_code, redirect_uri = '', tenant_id } = rest
                const body = {
                  ...{ name, client_id, client_secret },
                  ...(authorization_code && { authorization_code, redirect_uri }),
                  ...(tenant_id && { platform: 'teams' as const, tenant_id }),
                }
                await answerOf(v2.POST('/v2/conf-credentials', { body }))
                await credentials.reload()
                return TEXTS.saved
              }}
            >
              <Field label={texts.name} name="name" required maxLength={100} autocomplete="off" />
              <Field label={texts.tenant} name="tenant_id" maxLength={255} autocomplete="off" />
              <Field label={texts.clientId} name="client_id" required maxLength={256} autocomplete="off" />
              <Field label={texts.clientSecret} name="client_secret" type="password" required autocomplete="off" />
              <Field label={texts.code} name="authorization_code" maxLength={2000} autocomplete="off" />
              <Field label={texts.redirect} name="redirect_uri" type="url" autocomplete="off" />
            </Form>
          </details>
        </section>
      )}
    </>
  )
}
