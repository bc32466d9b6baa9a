import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answers, dashboard, dataOf } from '../api.ts'
import { SIGN_IN_PROBLEMS } from '../connect-texts.ts'
import { OutcomeLine, useAction } from '../parts/action.tsx'
import { Field, Form } from '../parts/form.tsx'
import { Mark } from '../parts/icon.tsx'
import { useLoaded } from '../parts/load.tsx'
import { ROOT } from '../place.ts'
import { navigate, path } from '../router.tsx'
import { loadMe, me, startAgain } from '../session.ts'
import { offeredTokens } from '../sign-in-tokens.ts'

/**
 * Signs in with the token of a link, with the OpenID provider, or with a password. A person of several teams chooses one; a person
 * who is signed in already is asked before the link replaces that.
 */
export function SignIn() {
  const action = useAction()
  const tokens = offeredTokens.value
  const current = me.value
  const choices = useSignal<readonly Choice[]>([])
  const problem = new URLSearchParams(location.search).get('problem')
  const ways = useLoaded(() => dataOf(dashboard.GET('/sign-in-ways')))
  const oidc = ways.value.value?.oidc
  useEffect(() => {
    // It is shown once.
    if (problem === null) return
    history.replaceState(null, '', location.pathname)
    action.outcome.value = { text: SIGN_IN_PROBLEMS[problem] ?? SIGN_IN_PROBLEMS.invalid!, isBad: true }
  }, [])
  useEffect(() => {
    if (tokens.length === 1 && current === null) void byLink(tokens[0]!)
    else if (tokens.length > 0) void askForTeams(tokens)
  }, [tokens])
  const askForTeams = (of: readonly string[]) =>
    action.run(async () => {
      choices.value = (await dataOf(dashboard.POST('/sign-in-choices', { body: { tokens: [...of] } }))).choices
      return null
    })
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
        Standin
      </p>
      <h1>Sign in</h1>
      {tokens.length > 0 && current === null && action.isBusy.value && <p>Signing you in …</p>}
      <OutcomeLine of={action} />
      {choices.value.length > 0 && (
        <>
          <p>
            {current
              ? `You are signed in as ${current.name} in ${current.team.name}. This link signs you out there, and in to the team:`
              : 'You are a person of several teams. Choose one:'}
          </p>
          <div class="actions">
            {choices.value.map(({ team, token }) => (
              <button key={token} type="button" class="main" onClick={() => void byLink(token)}>
                <bdi>{team}</bdi>
              </button>
            ))}
          </div>
        </>
      )}
      {current ? (
        <button type="button" onClick={leaveSignIn}>
          Stay signed in as I am
        </button>
      ) : (
        <>
          {oidc != null && (
            <>
              <a class="button main" href={`${ROOT}/dashboard/api/oidc/begin`}>
                {oidc.name === '' ? 'Sign in with your organization' : `Sign in with ${oidc.name}`}
              </a>
              <p class="soft">or with a password</p>
            </>
          )}
          <Form
            of={action}
            submit="Sign in"
            onSubmit={async ({ email = '', password = '' }) => {
              const answer = await dataOf(dashboard.POST('/sign-in', { body: { email, password } }))
              choices.value = answer.choices
              if (answer.choices.length === 0) await enter()
              return null
            }}
          >
            <Field label="E-mail address" name="email" type="email" autocomplete="username" required />
            <Field label="Password" name="password" type="password" autocomplete="current-password" required />
          </Form>
          <p class="soft">
            No password yet? Ask an owner of your team for a sign-in link, or run: standin service people link
          </p>
        </>
      )}
    </main>
  )
}

type Choice = Answers['SignInChoices']['choices'][number]

async function enter(): Promise<void> {
  if (me.value) return startAgain()
  await loadMe()
  leaveSignIn()
}

function leaveSignIn(): void {
  offeredTokens.value = []
  if (path.value === '/sign-in') navigate('/')
}
