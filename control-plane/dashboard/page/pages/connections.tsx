import { answerOf, v2 } from '../api.ts'
import { CONNECT_TEXTS } from '../connect-texts.ts'
import { ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { ConnectButtons, isOffered, useConnectOutcome } from '../parts/connect.tsx'
import { Field, Form } from '../parts/form.tsx'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Help, Status, Table, Time } from '../parts/pieces.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'

const TITLE = 'Zoom and Teams'
const TYPES = { app: 'App credentials', user: 'Authorized user', teams: 'Registered Teams bot' }
const ADD = 'Add credentials'

/** Stored credentials of Zoom, of an app and of users who authorized it, and of bots that are registered at Microsoft Teams. */
export function Connections() {
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
      <h1>{TITLE}</h1>
      <Help
        text="Bots join Zoom on behalf of your app, or of a user who authorized it. They identify themselves to Microsoft Teams as your registered bot. The documentation explains how to create the app and the registration."
        page="connections"
      />
      <OutcomeLine of={action} />
      <Shown of={credentials}>
        {({ data }) => (
          <Table
            texts={{
              title: TITLE,
              columns: ['Name', 'Type', 'User', 'Status', ''],
              empty: 'There are no stored credentials.',
            }}
            entries={data}
            keyOf={(credential) => credential.credential_id}
            cells={(credential) => [
              <>
                {credential.name}
                <br />
                <span class="soft">{credential.credential_id}</span>
              </>,
              TYPES[credential.platform === 'teams' ? 'teams' : credential.credential_type],
              credential.conf_email ?? credential.conf_user_id ?? credential.tenant_id ?? TEXTS.none,
              <>
                <Status
                  of={credential.state}
                  texts={{ active: 'Active', invalid: 'Refused: authorize or store it again' }}
                />
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
                  confirmation="Delete these credentials? Zoom bots that use them will fail to join; Teams bots will join as guests."
                  work={() => remove(credential.credential_id)}
                >
                  Delete
                </ActionButton>
              ),
            ]}
          />
        )}
      </Shown>
      {may('member') && (
        <section>
          <h2>{ADD}</h2>
          <ConnectButtons of={action} providers={['zoom']} />
          <details open={!isOffered('zoom')}>
            <summary>{CONNECT_TEXTS.ownZoomApp}</summary>
            <Form
              of={action}
              submit={ADD}
              onSubmit={async ({ name = '', client_id = '', client_secret = '', ...rest }) => {
                const { authorization_code, redirect_uri = '', tenant_id } = rest
                const body = {
                  ...{ name, client_id, client_secret },
                  ...(authorization_code && { authorization_code, redirect_uri }),
                  ...(tenant_id && { platform: 'teams' as const, tenant_id }),
                }
                await answerOf(v2.POST('/v2/conf-credentials', { body }))
                await credentials.reload()
                return 'Saved.'
              }}
            >
              <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
              <Field
                label="Tenant ID (only for a bot that is registered at Microsoft Teams)"
                name="tenant_id"
                maxLength={255}
                autocomplete="off"
              />
              <Field label="Client ID" name="client_id" required maxLength={256} autocomplete="off" />
              <Field label="Client secret" name="client_secret" type="password" required autocomplete="off" />
              <Field
                label="Authorization code (only for a user; can be used once)"
                name="authorization_code"
                maxLength={2000}
                autocomplete="off"
              />
              <Field label="Redirect URL (only with a code)" name="redirect_uri" type="url" autocomplete="off" />
            </Form>
          </details>
        </section>
      )}
    </>
  )
}
