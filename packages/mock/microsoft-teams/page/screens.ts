/** The screens besides the pre-join page and the call: before the join, while it connects, and after the call. */

import type { Shown } from '../../shared/page/dom.ts'
import { box, brokenText, h } from '../../shared/page/dom.ts'
import { button, type Context, part } from './context.ts'
import { controlBlock, header, screen } from './pre-join.ts'

/**
 * The first thing a browser sees: the choice between the app and the web
 * (docs/platform-notes/microsoft-teams.md#launcher).
 */
export function launcherPage(context: Context, appLink: string, probe: string | null): Shown {
  const { cls, words, say } = context
  const container = h(
    'div',
    { id: 'container', class: cls('launcher') },
    h('h1', words('Join your Teams meeting')),
    box(
      'mainActionsContent',
      h('h2', words('How do you want to join?')),
      launcherButton(context, 'joinInApp', 'Open Teams app to join a meeting', 'Join on the Teams app', () =>
        say({ say: 'launch', choice: 'app' }),
      ),
      launcherButton(context, 'joinOnWeb', 'Join meeting from this browser', 'Continue on this browser', () =>
        say({ say: 'launch', choice: 'web' }),
      ),
      h('a', { 'data-tid': 'download', href: '#', class: cls('link') }, words('Download it now')),
    ),
  )
  const root = h('div', { id: 'launcherApp' }, h('div', { id: 'rootViewV2' }, box('modernViewContainer', container)))
  const timer = setTimeout(() => {
    // The page opens the app's link, which makes the browser ask outside of the document.
    root.append(h('iframe', { id: 'teamsLauncher', src: appLink, style: 'display:none' }))
    // A silent attempt to sign in. It fails for guests, which is no error.
    if (probe !== null) root.append(h('iframe', { src: probe, style: 'display:none' }))
  }, 200)
  return { root, close: () => clearTimeout(timer) }
}

function launcherButton(context: Context, tid: string, label: string, text: string, click: () => void): HTMLElement {
  const { words } = context
  const look = { 'data-tid': tid, 'aria-label': words(label), class: tid === 'joinOnWeb' ? 'btn primary' : 'btn' }
  return button(context, look, [h('h3', words(text))], click)
}

export function splashPage({ cls }: Context): Shown {
  return {
    root: h('div', { id: 'loading-screen', class: cls('splash') }, h('img', { alt: '', class: cls('spinner') })),
  }
}

/**
 * No tree of this page was recorded, only its text
 * (docs/platform-notes/microsoft-teams.md#wrong-links-and-the-retry-screen).
 */
export function malformedPage({ cls, random, words }: Context): Shown {
  const text = words('Looks like the meeting URL is incorrect. Please check the URL and try again.')
  return { root: box(cls('message'), h('div', brokenText(random, text))) }
}

/**
 * Stays until any script asks the browser for devices, because a permission that is granted elsewhere removes the real
 * page's gate.
 */
export function permissionGate(context: Context): Shown {
  const { cls, words, say, random } = context
  const native = navigator.mediaDevices.getUserMedia
  navigator.mediaDevices.getUserMedia = (wish) => {
    const stream = native.call(navigator.mediaDevices, wish)
    const restore = () => {
      navigator.mediaDevices.getUserMedia = native
      say({ say: 'gatePassed' })
    }
    void stream.then(restore, () => {})
    return stream
  }
  const text = words('Select Allow to let Microsoft Teams use your mic and camera')
  return { root: box(cls('message'), h('h2', brokenText(random, text))) }
}

export function connectingPage(context: Context): Shown {
  return { root: screen(context, 'calling-connecting-screen', [header(context), context.words('Connecting…')]) }
}

/** The waiting room keeps the whole block of the pre-join page; only the join button differs. */
export function lobbyPage(context: Context, text: string | null): Shown {
  const { cls, words, name, settings } = context
  const block = controlBlock(context, text === null || settings.foreignLobby ? 'again' : 'disabled', true)
  const known = text === null ? '' : words(text, settings.accountName ?? name.value)
  const shown = settings.foreignLobby ? 'Odota hetki' : known
  const root = screen(context, 'calling-lobby-screen', [
    header(context),
    h('div', { class: cls('lobbyText'), 'aria-live': 'polite' }, text !== null && h('span', shown)),
    block.root,
  ])
  return { root, close: block.close }
}

/**
 * A meeting that requires an account. The tree was not recorded; the texts were
 * (docs/platform-notes/microsoft-teams.md#sign-in-walls).
 */
export function wallPage(context: Context, text: string): Shown {
  const { cls, words, random } = context
  return {
    root: box(
      cls('message'),
      h('h1', brokenText(random, words(text))),
      box(cls('row'), button(context, {}, words('Sign in')), button(context, {}, words('Back'))),
    ),
  }
}

export function endPage(context: Context, heading: string): Shown {
  const { cls, words, say } = context
  return {
    root: box(
      cls('message'),
      h('div', { 'data-tid': 'anon-meeting-end-screen-header' }, h('h1', words(heading))),
      h('p', words('Thanks for using Teams.')),
      button(
        context,
        { 'data-tid': 'anon-meeting-end-screen-rejoin-button', 'aria-label': words('Rejoin') },
        words('Rejoin'),
        () => say({ say: 'rejoin' }),
      ),
    ),
  }
}

export function encryptionPage({ words, cls }: Context): Shown {
  return { root: part('calling-e2ee-end-screen', { class: cls('message') }, words('An encryption error occurred')) }
}
