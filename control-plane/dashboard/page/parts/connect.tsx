/** Connecting an account by the app of the operator: buttons that lead to the provider, and the outcome of the consent. */
import { Link2 } from 'lucide'
import { useEffect } from 'preact/hooks'
import { dashboard, dataOf } from '../api.ts'
import { CONNECT_TEXTS, type Provider } from '../connect-texts.ts'
import { queryValue, setQuery } from '../router.tsx'
import { may, me } from '../session.ts'
import { type Action, ActionButton } from './action.tsx'
import { Icon } from './icon.tsx'
import { toast } from './toasts.tsx'

interface Target {
  calendar_id?: string
  raw_calendar_id?: string
}

interface ConnectButtonProps {
  of: Action
  provider: Provider
  target?: Target
  /** Default: the name of the provider. */
  label?: string
  kind?: '' | 'main'
}

export function ConnectButton({ of, provider, target = {}, label, kind = '' }: ConnectButtonProps) {
  const go = async () => {
    const params = { path: { provider } }
    const { address } = await dataOf(dashboard.POST('/connect/{provider}', { params, body: target }))
    location.assign(address)
    return null
  }
  return (
    <ActionButton of={of} kind={kind} work={go}>
      {label === undefined && <Icon of={Link2} />}
      {label ?? CONNECT_TEXTS.button(provider)}
    </ActionButton>
  )
}

export const isOffered = (provider: Provider): boolean => me.value?.connects.includes(provider) ?? false

/** A button for each provider, or for an operator the settings that are missing. */
export function ConnectButtons({ of, providers }: { of: Action; providers: readonly Provider[] }) {
  return (
    <>
      <div class="actions">
        {providers.filter(isOffered).map((provider) => (
          <ConnectButton key={provider} of={of} provider={provider} kind="main" />
        ))}
      </div>
      {providers
        .filter((provider) => may('operator') && !isOffered(provider))
        .map((provider) => {
          const [name, id, secret] = CONNECT_TEXTS.unset(provider)
          return (
            <p key={provider} class="soft">
              {name}
              {CONNECT_TEXTS.isNotOffered} <code>{id}</code> {CONNECT_TEXTS.and} <code>{secret}</code>.
            </p>
          )
        })}
    </>
  )
}

/** Shows the outcome of the consent once: the address has it, and loses it. */
export function useConnectOutcome(of: Action, what: 'calendar' | 'zoom'): void {
  useEffect(() => {
    const [problem, connected] = [queryValue('problem'), queryValue('connected')]
    if (problem !== '') {
      const text = CONNECT_TEXTS.problem(problem, queryValue('provider'), queryValue('missing'))
      of.outcome.value = { text, isBad: true }
    }
    if (connected !== '') toast(CONNECT_TEXTS.connected[what][connected === 'again' ? 'again' : 'new'])
    if (problem + connected !== '') setQuery({ problem: '', connected: '', provider: '', missing: '' })
  }, [])
}
