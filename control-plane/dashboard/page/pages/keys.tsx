import { useSignal } from '@preact/signals'
import { type Answers, dashboard, dataOf } from '../api.ts'
import { ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Secret, Table, Time } from '../parts/pieces.tsx'
import { TEXTS } from '../texts.ts'

export function Keys() {
  const texts = TEXTS.keys
  const action = useAction()
  const made = useSignal<string | null>(null)
  const keys = useLoaded(() => dataOf(dashboard.GET('/keys')))
  return (
    <>
      <h1>{texts.title}</h1>
      <OutcomeLine of={action} />
      {made.value !== null && <Secret title="" value={made.value} />}
      <section>
        <Form
          of={action}
          submit={texts.add}
          onSubmit={async ({ name = '', permission }) => {
            const body = { name, permission: permission as Answers['Key']['permission'] }
            made.value = (await dataOf(dashboard.POST('/keys', { body }))).key
            await keys.reload()
            return null
          }}
        >
          <Field label={texts.name} name="name" required maxLength={100} autocomplete="off" />
          <Choice label={texts.permission} name="permission" options={texts.permissions} />
        </Form>
      </section>
      <Shown of={keys}>
        {(list) => (
          <Table
            texts={texts}
            entries={list}
            keyOf={(key) => key.key_id}
            cells={(key) => [
              key.name,
              `${key.prefix}…`,
              texts.permissions[key.permission],
              <Time at={key.last_used_at} />,
              key.expires_at === null ? texts.never : <Time at={key.expires_at} />,
              key.revoked_at !== null ? (
                texts.revoked
              ) : (
                <ActionButton
                  of={action}
                  kind="bad"
                  confirmation={texts.revokeSure}
                  work={async () => {
                    const options = { params: { path: { key_id: key.key_id } } }
                    const { message } = await dataOf(dashboard.DELETE('/keys/{key_id}', options))
                    await keys.reload()
                    return message
                  }}
                >
                  {texts.revoke}
                </ActionButton>
              ),
            ]}
          />
        )}
      </Shown>
    </>
  )
}
