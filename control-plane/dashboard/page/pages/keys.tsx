import { useSignal } from '@preact/signals'
import { type Answers, dashboard, dataOf } from '../api.ts'
import { ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Secret, Table, Time } from '../parts/pieces.tsx'

const TITLE = 'API keys'
const CREATE = 'Create a key'
const PERMISSIONS = { full: 'Full access', sending: 'Create bots only' }

export function Keys() {
  const action = useAction()
  const made = useSignal<string | null>(null)
  const keys = useLoaded(() => dataOf(dashboard.GET('/keys')))
  return (
    <>
      <h1>{TITLE}</h1>
      <OutcomeLine of={action} />
      {made.value !== null && <Secret title="" value={made.value} />}
      <section>
        <h2>{CREATE}</h2>
        <Form
          of={action}
          submit={CREATE}
          onSubmit={async ({ name = '', permission }) => {
            const body = { name, permission: permission as Answers['Key']['permission'] }
            made.value = (await dataOf(dashboard.POST('/keys', { body }))).key
            await keys.reload()
            return null
          }}
        >
          <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
          <Choice label="Permission" name="permission" options={PERMISSIONS} />
        </Form>
      </section>
      <Shown of={keys}>
        {(list) => (
          <Table
            texts={{ title: TITLE, columns: ['Name', 'Prefix', 'Permission', 'Last used', 'Expires', ''] }}
            entries={list}
            keyOf={(key) => key.key_id}
            cells={(key) => [
              key.name,
              `${key.prefix}…`,
              PERMISSIONS[key.permission],
              <Time at={key.last_used_at} />,
              key.expires_at === null ? 'never' : <Time at={key.expires_at} />,
              key.revoked_at !== null ? (
                'revoked'
              ) : (
                <ActionButton
                  of={action}
                  kind="bad"
                  confirmation="Revoke this key? Programs that use it stop working immediately."
                  work={async () => {
                    const options = { params: { path: { key_id: key.key_id } } }
                    const { message } = await dataOf(dashboard.DELETE('/keys/{key_id}', options))
                    await keys.reload()
                    return message
                  }}
                >
                  Revoke
                </ActionButton>
              ),
            ]}
          />
        )}
      </Shown>
    </>
  )
}
