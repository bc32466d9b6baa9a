import { useEffect } from 'preact/hooks'
import { ask } from '../api.ts'
import { OutcomeLine, useAction } from '../parts/action.tsx'
import { Field, Form } from '../parts/form.tsx'
import { navigate } from '../router.tsx'
import { loadMe } from '../session.ts'
import { TEXTS } from '../texts.ts'

/** By the link's token, which stands behind `#`, or by e-mail address and password. */
export function SignIn() {
  const action = useAction()
  const token = location.hash.slice(1)
  useEffect(() => {
    if (token === '') return
    // The token works once: it does not stay in the address.
    history.replaceState(null, '', location.pathname)
    void action.run(async () => {
      await ask('POST', '/sign-in-link', { token })
      await enter()
      return null
    })
  }, [])

  return (
    <main class="sign-in" tabIndex={-1}>
      <h1>{TEXTS.signIn.title}</h1>
      {token !== '' && action.isBusy.value && <p>{TEXTS.signIn.byLink}</p>}
      <OutcomeLine of={action} />
      <Form
        of={action}
        submit={TEXTS.signIn.submit}
        onSubmit={async (fields) => {
          await ask('POST', '/sign-in', fields)
          await enter()
          return null
        }}
      >
        <Field label={TEXTS.signIn.email} name="email" type="email" autocomplete="username" required />
        <Field label={TEXTS.signIn.password} name="password" type="password" autocomplete="current-password" required />
      </Form>
      <p class="soft">{TEXTS.signIn.help}</p>
    </main>
  )
}

async function enter(): Promise<void> {
  await loadMe()
  if (location.pathname.endsWith('/sign-in')) navigate('/')
}
