import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answers, dashboard, dataOf } from '../api.ts'
import { OutcomeLine, useAction } from '../parts/action.tsx'
import { Field, Form } from '../parts/form.tsx'
import { Mark } from '../parts/icon.tsx'
import { useLoaded } from '../parts/load.tsx'
import { ROOT } from '../place.ts'
import { navigate } from '../router.tsx'
import { loadMe } from '../session.ts'
import { PROBLEM_TEXTS, TEXTS } from '../texts.ts'

/** Signs in with the token of a link, which follows `#`, with the OpenID provider, or with a password. A person of several teams chooses one. */
export function SignIn() {
  const action = useAction()
  const hash = location.hash.slice(1)
  const [token, offered] = hash.includes('=') ? ['', choicesOf(hash)] : [hash, []]
  const choices = useSignal<readonly Choice[]>(offered)
  const problem = new URLSearchParams(location.search).get('problem')
  const ways = useLoaded(() => dataOf(dashboard.GET('/sign-in-ways')))
  const oidc = ways.value.value?.oidc
  useEffect(() => {
    // A token can be used once, and a problem is shown once, so neither stays in the URL.
    if (hash !== '' || problem !== null) history.replaceState(null, '', location.pathname)
    if (problem !== null) action.outcome.value = { text: PROBLEM_TEXTS[problem] ?? PROBLEM_TEXTS.invalid!, isBad: true }
    if (token === '') return
    void byLink(token)
  }, [])
  const byLink = (token: string) =>
    action.run(async () => {
      await dataOf(dashboard.POST('/sign-in-link', { body: { token } }))
      await enter()
      return null
    })

  return (
    <main class="sign-in" tabIndex={-1}>
      <p class="brand">
        <Mark />
        {TEXTS.product}
      </p>
      <h1>{TEXTS.signIn.title}</h1>
      {token !== '' && action.isBusy.value && <p>{TEXTS.signIn.byLink}</p>}
      <OutcomeLine of={action} />
      {choices.value.length > 0 && (
        <>
          <p>{TEXTS.signIn.choose}</p>
          <div class="actions">
            {choices.value.map(({ team, token }) => (
              <button key={token} type="button" class="main" onClick={() => void byLink(token)}>
                <bdi>{team}</bdi>
              </button>
            ))}
          </div>
        </>
      )}
      {oidc != null && (
        <>
          <a class="button main" href={`${ROOT}/dashboard/api/oidc/begin`}>
            {TEXTS.signIn.byProvider(oidc.name)}
          </a>
          <p class="soft">{TEXTS.signIn.or}</p>
        </>
      )}
      <Form
        of={action}
        submit={TEXTS.signIn.submit}
        onSubmit={async ({ email = '', password = '' }) => {
          const answer = await dataOf(dashboard.POST('/sign-in', { body: { email, password } }))
          choices.value = answer.choices
          if (answer.choices.length === 0) await enter()
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

type Choice = Answers['SignInChoices']['choices'][number]

/** After a sign-in at the provider: each token with the name of its team. */
const choicesOf = (hash: string): Choice[] => [...new URLSearchParams(hash)].map(([token, team]) => ({ token, team }))

async function enter(): Promise<void> {
  await loadMe()
  if (location.pathname.endsWith('/sign-in')) navigate('/')
}
