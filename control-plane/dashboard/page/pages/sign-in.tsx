import { useEffect } from 'preact/hooks'
import { dashboard, dataOf } from '../api.ts'
import { OutcomeLine, useAction } from '../parts/action.tsx'
import { Field, Form } from '../parts/form.tsx'
import { useLoaded } from '../parts/load.tsx'
import { navigate } from '../router.tsx'
import { loadMe } from '../session.ts'
import { PROBLEM_TEXTS, TEXTS } from '../texts.ts'

/** Signs in with the token of a link, which follows `#`, with the OpenID provider, or with a password. */
export function SignIn() {
  const action = useAction()
  const token = location.hash.slice(1)
  const problem = new URLSearchParams(location.search).get('problem')
  const ways = useLoaded(() => dataOf(dashboard.GET('/sign-in-ways')))
  const oidc = ways.value.value?.oidc
  useEffect(() => {
    // A token can be used once, and a problem is shown once, so neither stays in the URL.
    if (token !== '' || problem !== null) history.replaceState(null, '', location.pathname)
    if (problem !== null) action.outcome.value = { text: PROBLEM_TEXTS[problem] ?? PROBLEM_TEXTS.invalid!, isBad: true }
    if (token === '') return
    void action.run(async () => {
      await dataOf(dashboard.POST('/sign-in-link', { body: { token } }))
      await enter()
      return null
    })
  }, [])

  return (
    <main class="sign-in" tabIndex={-1}>
      <h1>{TEXTS.signIn.title}</h1>
      {token !== '' && action.isBusy.value && <p>{TEXTS.signIn.byLink}</p>}
      <OutcomeLine of={action} />
      {oidc != null && (
        <>
          <a class="button main" href="/dashboard/api/oidc/begin">
            {TEXTS.signIn.byProvider(oidc.name)}
          </a>
          <p class="soft">{TEXTS.signIn.or}</p>
        </>
      )}
      <Form
        of={action}
        submit={TEXTS.signIn.submit}
        onSubmit={async ({ email = '', password = '' }) => {
          await dataOf(dashboard.POST('/sign-in', { body: { email, password } }))
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
