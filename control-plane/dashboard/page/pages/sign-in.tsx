import { useEffect } from 'preact/hooks'
import { ask, type SignInWays } from '../api.ts'
import { OutcomeLine, useAction } from '../parts/action.tsx'
import { Field, Form } from '../parts/form.tsx'
import { useLoaded } from '../parts/load.tsx'
import { navigate } from '../router.tsx'
import { loadMe } from '../session.ts'
import { PROBLEM_TEXTS, TEXTS } from '../texts.ts'

/** Sign-in by the token in the link's fragment, by the OpenID provider, or by e-mail address and password. */
export function SignIn() {
  const action = useAction()
  const token = location.hash.slice(1)
  const problem = new URLSearchParams(location.search).get('problem')
  const ways = useLoaded(() => ask<SignInWays>('GET', '/sign-in-ways'))
  const oidc = ways.value.value?.oidc
  useEffect(() => {
    // A token works once, and a problem is shown once, so both are removed from the address.
    if (token !== '' || problem !== null) history.replaceState(null, '', location.pathname)
    if (problem !== null) action.outcome.value = { text: PROBLEM_TEXTS[problem] ?? PROBLEM_TEXTS.invalid!, isBad: true }
    if (token === '') return
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
