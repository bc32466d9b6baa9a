/**
 * The mock meeting page. The server decides what it shows. The page builds it, behaves like the real one, and reports
 * the user's actions. It adds no global.
 */

import { Devices, showTrack } from '../../shared/page/devices.ts'
import type { Shown } from '../../shared/page/dom.ts'
import { box, brokenText, classNames, h, mutedVideo } from '../../shared/page/dom.ts'
import { watchInput } from '../../shared/page/input-watch.ts'
import { obey } from '../../shared/page/obey.ts'
import { keepNetworkBusy, trustOwnScripts } from '../../shared/page/page-habits.ts'
import { randomOf } from '../../shared/page/random.ts'
import { openLink } from '../../shared/page/server-link.ts'
import { type CallPage, callPage } from './call.ts'
import { button, type Context } from './context.ts'
import { useDeviceKeys } from './device-toggle.ts'
import { type Modal, openDialog, toastRegion } from './dialogs.ts'
import { blankPage, greenRoom, loadingPage, waitingForHostPage } from './green-room.ts'
import { addHeavyStyles } from './heavy.ts'
import { useIconClasses } from './icons.ts'
import { Media } from './media.ts'
import type { DialogKind, FromPage, PageSettings, ToPage, View } from './protocol.ts'
import { addStyles } from './style.ts'
import { callControls } from './toolbar.ts'
import { wordsOf } from './words.ts'

function lobbyPage(context: Context, self: string, textDelayMs: number): Shown & { text: HTMLElement } {
  const { cls, words, random, media, devices } = context
  const text = box(cls('lobbyText'))
  const timer = setTimeout(() => {
    text.append(
      h('div', { 'aria-live': 'polite' }, brokenText(random, words('Asking to be let in...'))),
      h('div', brokenText(random, words("You'll join the call when someone lets you in"))),
    )
  }, textDelayMs)
  const preview = mutedVideo({ class: cls('video'), autoplay: true })
  const stopWatching = devices.watch(() => showTrack(preview, devices.track('camera')))
  const root = box(
    cls('lobby'),
    h(
      'div',
      {
        'data-participant-id': self,
        'data-tile-media-id': context.settings.lobbyTile ? self : undefined,
        class: cls('selfPreview'),
      },
      preview,
      button(context, {
        label: words('Backgrounds and effects'),
        icon: 'visual_effects',
        attributes: { jsname: 'Ac69Jc' },
      }),
    ),
    text,
    button(context, { text: words('Return to home screen'), attributes: { jsname: 'EszDse' } }, () =>
      context.say({ say: 'leave', how: 'toolbar' }),
    ),
    callControls(context, 'lobby').root,
  )
  media.start()
  return {
    root,
    text,
    close: () => {
      clearTimeout(timer)
      stopWatching()
    },
  }
}

function finalPage(context: Context, view: Extract<View, { name: 'final' }>, lobbyText: HTMLElement | null): Shown {
  const { cls, words, random, settings } = context
  const timer = h('div', { role: 'timer', class: cls('timer') })
  let secondsLeft = 60
  const tick = () => {
    timer.replaceChildren(words('{0} seconds left', String(secondsLeft)))
    if (secondsLeft === 0 && view.countdownTo) location.assign(view.countdownTo)
    secondsLeft--
  }
  const interval = view.countdownTo ? setInterval(tick, settings.secondMs) : undefined
  const root = h(
    'main',
    { class: cls('page'), 'data-call-ended': view.callEnded ? 'true' : undefined },
    h('h1', { jsname: 'r4nke', class: cls('endHeading') }, brokenText(random, words(view.heading))),
    ...view.body.map((line) => h('div', brokenText(random, words(line)))),
    view.countdownTo !== null && h('div', words('Returning to home screen')),
    view.countdownTo !== null && timer,
    box(
      cls('joinRow'),
      ...view.buttons.map((label) => {
        const attributes =
          label === 'Return to home screen'
            ? { jsname: 'dqt8Pb', 'data-mdc-dialog-action': 'returnToHomePage' }
            : { jsname: 'oI7Fj' }
        return button(context, { text: words(label), attributes }, () => context.say({ say: 'final', choice: label }))
      }),
    ),
  )
  if (lobbyText && view.lobbyText !== 'gone') {
    if (view.lobbyText === 'hidden') lobbyText.style.display = 'none'
    root.append(lobbyText)
  }
  if (view.countdownTo) tick()
  return { root, close: () => clearInterval(interval) }
}

/** Put in front of this script by the server; gone when the script has run. */
declare const __given: { settings: PageSettings; socketPath: string; token: string }

function start({ settings, socketPath, token }: typeof __given): void {
  const link = openLink<FromPage, ToPage>(socketPath)
  const { say } = link
  const random = randomOf(settings.seed)
  const cls = classNames(settings.seed)
  useIconClasses(cls)
  const devices = new Devices(settings.devices)
  useDeviceKeys(devices)
  const wrapper = h('div', { jscontroller: 'dyDNGc', jsname: 'r4nke', class: cls('app') })
  const dialogLayer = box(cls('dialogs'))
  const toasts = toastRegion({ cls })
  const modals = new Map<DialogKind, Modal>()
  const context: Context = {
    settings,
    random,
    cls,
    words: wordsOf(settings.lang, settings.typographic),
    say,
    devices,
    media: new Media(settings, devices, say),
    wrapper,
    dialogLayer,
    openDialog: (kind) => {
      modals.get(kind)?.close()
      modals.set(kind, openDialog(context, kind))
    },
    toast: (text, forMs = 5000) => toasts.show(text, forMs),
  }
  addStyles(cls)
  if (settings.heavy) addHeavyStyles(cls)
  document.documentElement.lang = settings.lang
  watchInput({
    ...settings,
    say,
    nameOf: (element) =>
      element.getAttribute('aria-label') ??
      (element.querySelector('[jsname="V67aGc"]') ?? element).textContent?.trim() ??
      element.tagName,
  })
  document.body.append(wrapper, dialogLayer, toasts.root, captchaFrame(settings))
  trustOwnScripts()
  keepNetworkBusy('/_/poll')

  let shown: Shown | null = null
  let call: CallPage | null = null
  let lobbyText: HTMLElement | null = null

  const showView = (view: View) => {
    shown?.close?.()
    call = null
    if (view.name === 'lobby') {
      const lobby = lobbyPage(context, view.self, view.textDelayMs)
      lobbyText = lobby.text
      shown = lobby
    } else if (view.name === 'call') {
      document.title = `Meet - ${settings.code}`
      syncRoster(token)
      call = callPage(context, view.people)
      shown = call
    } else if (view.name === 'final') {
      context.media.stop()
      shown = finalPage(context, view, lobbyText)
    } else if (view.name === 'joining') {
      return // The green room stays until the answer comes.
    } else if (view.name === 'greenRoom') shown = greenRoom(context, view.inside)
    else if (view.name === 'waitingForHost') shown = waitingForHostPage(context)
    else shown = view.name === 'blank' ? blankPage() : loadingPage(context)
    wrapper.replaceChildren(shown.root)
  }

  const receive = (message: ToPage) => {
    if (message.do === 'view') showView(message.view)
    else if (message.do === 'dialog') context.openDialog(message.dialog)
    else if (message.do === 'closeDialogs') {
      for (const modal of modals.values()) modal.close()
    } else if (message.do === 'toast') context.toast(message.text, message.forMs)
    else if (message.do === 'decode') void context.media.decode(message.own)
    else if (message.do === 'acquire') void acquire(message.microphone, message.camera)
    else if (!obey(message, { connection: context.media, devices })) call?.receive(message)
  }
  const acquire = async (microphone: boolean, camera: boolean) => {
    await devices.acquire({ microphone, camera })
    if (!devices.exists('camera')) context.openDialog('camera-toast')
  }
  link.listen(receive, (samples) => context.media.playSamples(samples))
  void devices.needPrompt().then((needed) => say({ say: 'ready', needsPrompt: needed }))
}

/** On every page, and it means nothing unless it is visible and large. */
function captchaFrame(settings: PageSettings): HTMLIFrameElement {
  const live = settings.captcha === 'live'
  return h('iframe', {
    src: 'https://www.google.com/recaptcha/enterprise/anchor?ar=1&size=invisible',
    title: 'reCAPTCHA',
    style: live
      ? 'position:fixed;left:50%;top:40%;width:304px;height:78px;border:1px solid #888;background:#fff;z-index:9'
      : 'display:none;width:0;height:0;border:0',
  })
}

/** The first roster also comes over HTTP, as base64 of its protobuf. */
function syncRoster(token: string): void {
  const method = '/$rpc/google.rtc.meetings.v1.MeetingSpaceService/SyncMeetingSpaceCollections'
  const headers = { 'content-type': 'application/x-protobuf', 'x-goog-meeting-identifier': token }
  void fetch(method, { method: 'POST', headers, body: '' }).then(
    (answer) => answer.text(),
    () => null, // The page continues with the data channel's roster.
  )
}

start(__given)
