import { dashboard, dataOf } from '../api.ts'
import { OutcomeLine, useAction } from '../parts/action.tsx'
import { Field, Form } from '../parts/form.tsx'
import { loadMe, me } from '../session.ts'
import { TEXTS } from '../texts.ts'

export function Account() {
  const texts = TEXTS.account
  const action = useAction()
  return (
    <>
      <h1>{texts.title}</h1>
      <p class="soft">{texts.help}</p>
      <OutcomeLine of={action} />
      <Form
        of={action}
        submit={TEXTS.save}
        onSubmit={async (fields) => {
          const isChange = ([name, value]: [string, unknown]) =>
            value !== '' && !(name === 'email' && value === me.value?.email)
          const body = Object.fromEntries(Object.entries(fields).filter(isChange))
          await dataOf(dashboard.PATCH('/me', { body }))
          await loadMe()
          return TEXTS.saved
        }}
      >
        <Field label={texts.name} name="name" maxLength={100} defaultValue={me.value?.name} autocomplete="name" />
        <Field
          label={texts.email}
          name="email"
          type="email"
          defaultValue={me.value?.email ?? ''}
          autocomplete="username"
        />
        <Field
          label={texts.password}
          name="password"
          type="password"
          minLength={10}
          maxLength={200}
          autocomplete="new-password"
        />
        <Field
          label={texts.currentPassword}
          name="current_password"
          type="password"
          maxLength={200}
          autocomplete="current-password"
        />
      </Form>
    </>
  )
}
