/** The pages before the meeting: the offer of an app, the pre-join page, the lobby. */

import { showTrack } from '../../shared/page/devices.ts'
import type { Shown } from '../../shared/page/dom.ts'
import { box, h, mutedVideo, setAttribute } from '../../shared/page/dom.ts'
import { type Context, pressable, textButton } from './context.ts'
import { deviceToggles } from './device-toggles.ts'

export function loadingPage(): Shown {
  return { root: box('loading-spinner') }
}

export function deepLinkPage({ words, say }: Context): Shown {
  return {
    root: box(
      'deep-linking-desktop',
      h('h1', { class: 'title' }, words('deepLinking.title')),
      textButton(words('deepLinking.tryAgainButton'), () => {}),
      textButton(words('deepLinking.launchWebButton'), () => say({ say: 'launch' })),
    ),
  }
}

/** `isJoining`: the button was pressed, and the conference has not answered yet. */
export function prejoinPage(context: Context, isJoining: boolean): Shown {
  const { words, settings, say, state } = context
  const given = settings.readOnlyName
  const name = given === null ? nameBox(context, 'premeeting-name-input', undefined) : null
  const error = h('div', { class: 'error', 'data-testid': 'prejoin.errorMessage', role: 'alert' })
  const join = h(
    'div',
    {
      class: 'action-btn primary',
      role: 'button',
      tabindex: 0,
      'data-testid': 'prejoin.joinMeeting',
      'aria-disabled': String(isJoining),
      'aria-label': words('prejoin.joinMeeting'),
    },
    words('prejoin.joinMeeting'),
    h(
      'div',
      {
        class: 'options',
        role: 'button',
        'data-testid': 'prejoin.joinOptions',
        'aria-label': words('prejoin.joinOptions'),
      },
      '▾',
    ),
  )
  join.lastElementChild?.addEventListener('click', (event) => event.stopPropagation())
  pressable(join, () => {
    const typed = (given ?? name?.value ?? '').trim()
    error.remove()
    if (typed === '') {
      error.textContent = words('prejoin.errorMissingName')
      join.before(error)
      return
    }
    setAttribute(join, 'aria-disabled', 'true')
    state.botName = typed
    say({ say: 'join', name: typed })
  })
  return screenOf(context, 'premeeting-screen', 'prejoin.screen', [
    h('h1', { class: 'title' }, words('prejoin.joinMeeting')),
    h('span', { class: 'room-name' }, settings.room),
    name ?? box('avatar-name', box('avatar', '🙂'), h('span', { class: 'name' }, given ?? '')),
    join,
  ])
}

export type LobbyView = { isKnocking: boolean; password: 'none' | 'asked' | 'wrong' }

export function lobbyPage(context: Context, view: LobbyView): Shown {
  const { words, settings, say, state } = context
  const holder = box('content-controls')
  const show = (...children: (Node | false)[]) => holder.replaceChildren(...children.filter((child) => child !== false))
  const title = (text: string) => h('h1', { class: 'title' }, text)
  const withPassword =
    settings.lobbyPassword &&
    textButton(words('lobby.enterPasswordButton'), () => showPassword(false), {
      'data-testid': 'lobby.enterPasswordButton',
    })
  const name = nameBox(context, undefined, 'lobby.nameField')

  const showAsking = () =>
    show(
      title(words('lobby.joinTitle')),
      name,
      textButton(
        words('lobby.knockButton'),
        () => {
          if (name.value.trim() === '') return
          state.botName = name.value.trim()
          say({ say: 'knock', name: state.botName })
        },
        { 'data-testid': 'lobby.knockButton' },
      ),
      withPassword,
    )
  const showWait = () =>
    show(
      title(words('lobby.joiningTitle')),
      box('spinner'),
      h('span', { class: 'joining-message' }, words('lobby.joiningMessage')),
      withPassword,
    )
  const showForm = view.isKnocking ? showWait : showAsking
  const showPassword = (isWrong: boolean) => {
    const input = h('input', {
      type: 'password',
      'data-testid': 'lobby.password',
      placeholder: words('lobby.passwordField'),
      'aria-label': words('lobby.passwordField'),
    })
    show(
      title(words('lobby.enterPasswordTitle')),
      input,
      isWrong && h('div', { class: 'error', 'data-testid': 'lobby.errorMessage' }, words('lobby.invalidPassword')),
      textButton(words('lobby.passwordJoinButton'), () => say({ say: 'password', password: input.value }), {
        'data-testid': 'lobby.passwordJoinButton',
      }),
      textButton(words('lobby.backToKnockModeButton'), showForm, { 'data-testid': 'lobby.backToKnockModeButton' }),
    )
  }
  if (view.password === 'none') showForm()
  else showPassword(view.password === 'wrong')
  return screenOf(context, 'premeeting-screen lobby-screen', undefined, [holder])
}

function nameBox({ words, state, settings }: Context, id: string | undefined, testId: string | undefined) {
  const input = h('input', {
    type: 'text',
    id,
    'data-testid': testId,
    autocomplete: 'name',
    class: 'name-input',
    placeholder: words('lobby.nameField'),
    'aria-label': words('lobby.nameField'),
    maxlength: 80,
  })
  input.value = state.botName || (settings.readOnlyName ?? '')
  return input
}

/** Controls at one side, one's own picture at the other. */
function screenOf(context: Context, className: string, testId: string | undefined, controls: Node[]): Shown {
  const { devices } = context
  const toggles = deviceToggles(context)
  const preview = mutedVideo({ id: 'prejoinVideo', class: 'flipVideoX', autoplay: true })
  const stopWatching = devices.watch(() => showTrack(preview, devices.track('camera')))
  const root = h(
    'div',
    { class: className, 'data-testid': testId },
    box('content', box('controls', ...controls, box('toolbox-content premeeting-toolbox', toggles.root))),
    h('div', { id: 'preview', class: 'preview' }, preview),
  )
  return {
    root,
    close() {
      stopWatching()
      toggles.close?.()
    },
  }
}
