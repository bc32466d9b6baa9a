import { dashboard, dataOf } from '../api.ts'
import { OutcomeLine, useAction } from '../parts/action.tsx'
import { Field, Form } from '../parts/form.tsx'
import { loadMe, me } from '../session.ts'

export function Account() {
  const action = useAction()
  return (
    <>
      <h1>Your account</h1>
      <p class="soft">
        With an e-mail address and a password you can sign in without a link. Your other sessions end when you change
        the password. If you signed in more than 15 minutes ago, a new address or password needs the current password.
      </p>
      <OutcomeLine of={action} />
      <Form
        of={action}
        submit="Save"
        onSubmit={async (fields) => {
          const isChange = ([name, value]: [string, unknown]) =>
            value !== '' && value !== (me.value as Record<string, unknown> | null)?.[name]
          const body = Object.fromEntries(Object.entries(fields).filter(isChange))
          await dataOf(dashboard.PATCH('/me', { body }))
          await loadMe()
          return 'Saved.'
        }}
      >
        <Field label="Name" name="name" maxLength={100} defaultValue={me.value?.name} autocomplete="name" />
        <Field
          label="E-mail address"
          name="email"
          type="email"
          defaultValue={me.value?.email ?? ''}
          autocomplete="username"
        />
        <Field
          label="New password (at least 10 characters)"
          name="password"
          type="password"
          minLength={10}
          maxLength={200}
          autocomplete="new-password"
        />
        <Field
          label="Current password"
          name="current_password"
          type="password"
          maxLength={200}
          autocomplete="current-password"
        />
      </Form>
    </>
  )
}
