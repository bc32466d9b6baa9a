/**
 * The mock meeting page. The server decides what it shows; the page builds it, behaves like the real one, and reports
 * what was done to it. Its globals are those of the real page.
 */

import { Devices } from '../../shared/page/devices.ts'
import type { Shown } from '../../shared/page/dom.ts'
import { box, h } from '../../shared/page/dom.ts'
import { watchInput } from '../../shared/page/input-watch.ts'
import { obey } from '../../shared/page/obey.ts'
import { keepNetworkBusy, trustOwnScripts } from '../../shared/page/page-habits.ts'
import { randomOf } from '../../shared/page/random.ts'
import { openLink } from '../../shared/page/server-link.ts'
import { type CallPage, callPage } from './call.ts'
import { type Context, textButton } from './context.ts'
import { Dialogs } from './dialogs.ts'
import { Media } from './media.ts'
import { deepLinkPage, loadingPage, lobbyPage, prejoinPage } from './premeeting.ts'
import type { FromPage, Notice, PageSettings, ToPage, View } from './protocol.ts'
import { expose, State } from './store.ts'
import { addStyles } from './style.ts'
import { isTextName, type Words, wordsOf } from './words.ts'

/** Seconds. Notifications without an error disappear after this time. */
const SHOWN_SECONDS = 5

function noticeArea(words: Words, secondMs: number) {
  const root = h('div', { id: 'notifications-container', 'aria-live': 'polite' })
  const textOf = (name: string, value = '') => (isTextName(name) ? words(name, value) : name)
  return {
    root,
    show({ title, description, name = '', isError = false }: Notice): void {
      const close = h('button', { class: 'close-icon', 'aria-label': words('dialog.dismiss') }, '×')
      const notice = h(
        'div',
        { class: isError ? 'notification error' : 'notification', role: isError ? 'alert' : 'status' },
        h('span', { class: 'title', 'data-testid': title }, textOf(title, name)),
        description !== undefined &&
          h('div', { class: 'description', 'data-testid': description }, textOf(description)),
        close,
      )
      close.addEventListener('click', () => notice.remove())
      root.append(notice)
      if (!isError) setTimeout(() => notice.remove(), SHOWN_SECONDS * secondMs)
    },
  }
}

/** Counts down, then reloads the page. */
function showOverlay(words: Words, kind: 'network' | 'error', forMs: number): void {
  const isNetwork = kind === 'network'
  const title = words(isNetwork ? 'dialog.conferenceDisconnectTitle' : 'dialog.conferenceReloadTitle')
  const text = h('div', { id: 'reload_overlay_text' })
  const bar = h('div', { id: 'reloadProgressBar' })
  const reload = () => location.reload()
  const overlay = h(
    'div',
    { id: 'overlay', class: isNetwork ? 'overlay__container-light' : 'overlay__container' },
    box(
      'overlay__content',
      h('div', { id: 'reload_overlay_title', class: 'reload_overlay_title' }, title),
      text,
      bar,
      isNetwork && textButton(words('dialog.rejoinNow'), reload),
    ),
  )
  const endsAt = performance.now() + forMs
  const tick = () => {
    const left = Math.max(0, endsAt - performance.now())
    bar.style.width = `${100 - (100 * left) / forMs}%`
    text.textContent = words(
      isNetwork ? 'dialog.conferenceDisconnectMsg' : 'dialog.conferenceReloadMsg',
      Math.ceil(left / 1000),
    )
    if (left === 0) reload()
    else setTimeout(tick, Math.min(left, 250))
  }
  document.body.append(overlay)
  tick()
}

/** Put in front of this script by the server; gone when the script has run. */
declare const __given: { settings: PageSettings; socketPath: string }

function start({ settings, socketPath }: typeof __given): void {
  const link = openLink<FromPage, ToPage>(socketPath)
  const { say } = link
  const devices = new Devices(settings.devices)
  const media = new Media(devices, say)
  const state = new State()
  const words = wordsOf(settings.lang)
  const dialogs: Dialogs = new Dialogs(() => context)
  const context: Context = { settings, random: randomOf(settings.seed), words, say, devices, media, state, dialogs }
  const notices = noticeArea(words, settings.secondMs)
  const app = document.getElementById('react') ?? document.body
  if (settings.store) expose(state, settings, devices, media)
  addStyles()
  document.documentElement.lang = settings.lang
  watchInput({
    ...settings,
    say,
    nameOf: (element) =>
      element.getAttribute('data-testid') ??
      element.getAttribute('aria-label') ??
      (element.id || (element.textContent?.trim() ?? element.tagName)),
  })
  document.body.append(notices.root, dialogs.layer)
  trustOwnScripts()
  keepNetworkBusy('/_/poll')
  // Options of the address apply once, before the first self view.
  const asks = (key: string) => location.hash.includes(`config.${key}=true`)
  void devices.acquire({ microphone: !asks('startWithAudioMuted'), camera: !asks('startWithVideoMuted') })

  let shown: Shown | null = null
  let call: CallPage | null = null

  const showView = (view: View) => {
    shown?.close?.()
    call = null
    state.isJoined = view.name === 'call'
    state.isJoining = view.name === 'prejoin' && view.isJoining
    state.isPrejoinShown = view.name === 'prejoin'
    const isLobby = view.name === 'lobby'
    state.lobby = { isShown: isLobby, isKnocking: isLobby && view.isKnocking, waitsForHost: false }
    if (view.name === 'call') {
      document.title = `${settings.room} | Jitsi Meet`
      call = callPage(context, view.people)
      shown = call
    } else if (view.name === 'lobby') shown = lobbyPage(context, view)
    else if (view.name === 'prejoin') shown = prejoinPage(context, view.isJoining)
    else shown = view.name === 'deepLink' ? deepLinkPage(context) : loadingPage()
    app.replaceChildren(shown.root)
  }

  const goAway = () => {
    if (settings.afterwards === 'close') location.assign('/static/close2.html')
    else if (settings.afterwards === 'welcome') location.assign('/')
  }
  const over = (reason: string | null) => {
    state.isJoined = false
    state.failure = null
    state.lobby = { isShown: false, isKnocking: false, waitsForHost: false }
    media.stop()
    dialogs.close()
    // The lobby gives way to the empty frame of the meeting.
    if (!call) showView({ name: 'call', people: [] })
    state.isJoined = false
    call?.empty()
    if (reason !== null) dialogs.sayWhy(reason, goAway)
    else if (settings.feedback) dialogs.askForStars(goAway)
    else setTimeout(goAway, settings.secondMs / 2)
  }

  link.listen((message) => {
    if (message.do === 'view') {
      showView(message.view)
      if (message.view.name === 'call') media.start()
    } else if (message.do === 'failure') state.failure = message.name
    else if (message.do === 'dialog') {
      if (message.dialog === 'moderator-lobby') state.lobby.waitsForHost = true
      dialogs.open(message.dialog)
    } else if (message.do === 'closeDialogs') dialogs.close()
    else if (message.do === 'notice') notices.show(message.notice)
    else if (message.do === 'rooms') state.elsewhere = message.names
    else if (message.do === 'over') over(message.reason)
    else if (message.do === 'overlay') showOverlay(words, message.kind, message.forMs)
    else if (!obey(message, { connection: media, devices })) call?.receive(message)
  })
}

start(__given)
