/**
 * The generator of everything from the pre-join page on. It builds into a root that it is given and reports what the
 * visitor does, so that the web client's page and the SDK's page show the same DOM.
 */

import type { Devices } from '../../shared/page/devices.ts'
import type { Shown } from '../../shared/page/dom.ts'
import { box, h } from '../../shared/page/dom.ts'
import { type Pictures, type Sound, type UiContext, zmButton } from './context.ts'
import { type Footer, meetingFooter } from './footer.ts'
import { type MeetingPage, meetingPage } from './meeting-page.ts'
import { Modals, Toasts, tip } from './modals.ts'
import { previewPage } from './preview.ts'
import type { FromPage, PreviewSettings, ToPage, UiSettings, View } from './protocol.ts'
import { addStyles } from './style.ts'
import { CLASS, ID, TEXT } from './table.ts'
import { captchaPlace, typedCaptcha } from './walls.ts'
import { wordsOf } from './words.ts'

/** The toolbar before the meeting: it counts no people, and all that it can do is leave. */
function emptyFooter(context: UiContext): Footer {
  const nothing = () => {}
  const leave = () => context.say({ say: 'leave', how: 'waiting' })
  const others = { joinAudio: nothing, toggleParticipants: nothing, toggleChat: nothing, toggleCaptions: nothing }
  return meetingFooter(context, { ...others, leave })
}

function waitingPage(context: UiContext, { tips, isOnHold, look }: Extract<View, { name: 'waiting' }>): Shown {
  const { settings, words, say } = context
  const leave = zmButton({ class: CLASS.waitingLeave }, () => say({ say: 'leave', how: 'waiting' }), words(TEXT.leave))
  const lines = tips.map((text) => h('span', words(text)))
  if (look === 'old' || look === 'sdk') {
    const old = box(look === 'old' ? CLASS.oldWaiting : CLASS.sdkWaiting, box(CLASS.oldWaitingText, ...lines), leave)
    return { root: h('div', { id: ID.app, class: CLASS.app }, old) }
  }
  const information = box(
    CLASS.waitingInformation,
    box(CLASS.waitingTopic, settings.topic),
    box(CLASS.waitingTip, ...lines),
    !isOnHold && box(CLASS.waitingDate, new Date().toLocaleDateString(settings.lang)),
  )
  const room = box(CLASS.waiting, box(CLASS.waitingMain, information), leave)
  const inside = isOnHold ? box(CLASS.onHold, box(CLASS.onHoldMain, room)) : room
  const footer = emptyFooter(context)
  return { root: h('div', { id: ID.app, class: CLASS.app }, inside, footer.root), close: footer.close }
}

/** The content behind the layer while the page joins: an empty place for pictures, which is no meeting. */
function joiningPage(context: UiContext): Shown {
  const footer = emptyFooter(context)
  const behind = h(
    'div',
    { id: ID.app, class: CLASS.app },
    h('div', { id: ID.shareLayout, class: CLASS.shareLayout }, document.createElement('video-player')),
    footer.root,
  )
  return { root: h('div', behind, loadingLayer(context.words(TEXT.joining))), close: footer.close }
}

function loadingLayer(text: string): HTMLElement {
  return h('div', { id: ID.loading }, box(CLASS.joining, h('i', { class: 'loading-dots' }), text))
}

function classicForm({ words, say, devices }: UiContext, preview: PreviewSettings): Shown {
  const name = h('input', { id: 'inputname', type: 'text', placeholder: words(TEXT.name), maxlength: 64 })
  const passcode = h('input', { id: 'inputpasscode', type: 'text', placeholder: words(TEXT.passcode), maxlength: 10 })
  const terms = box('wc-agreement', h('button', { id: 'wc_agree1', type: 'button' }, words(TEXT.agreeTerms)))
  terms.querySelector('button')?.addEventListener('click', () => terms.remove())
  const error = h('div', { role: 'alert' }, words(preview.passcodeError && TEXT.classicWrongPasscode))
  const join = h('button', { id: 'joinBtn', type: 'button', class: CLASS.button, disabled: true }, words(TEXT.join))
  const check = () => {
    join.disabled = name.value.trim() === '' || (preview.passcode && passcode.value === '')
  }
  for (const input of [name, passcode]) input.addEventListener('input', check)
  join.addEventListener('click', ({ isTrusted }) => {
    const given = { name: name.value.trim(), passcode: passcode.value, email: '', captcha: typedCaptcha(form) }
    if (!terms.isConnected) say({ say: 'join', ...given, isTrusted })
  })
  const form = h(
    'form',
    { class: 'classic-form' },
    h('h1', 'Join a Meeting'),
    name,
    preview.passcode && passcode,
    error,
    ...captchaPlace(preview.captcha, words),
    join,
    terms,
  )
  void devices.acquire({ microphone: true, camera: true }).then(() => say({ say: 'devicesSettled' }))
  return { root: form }
}

export interface UiParts {
  /** Filled and emptied by the generator; nothing else should be in it. */
  root: HTMLElement
  settings: UiSettings
  devices: Devices
  pictures: Pictures
  sound: Sound
  say(message: FromPage): void
}

export interface MeetingUi {
  /** Returns false for messages that are not for the generator. */
  receive(message: ToPage): boolean
}

const TOAST_SECONDS = 5

export function createMeetingUi({ root, settings, devices, pictures, sound, say }: UiParts): MeetingUi {
  const words = wordsOf(settings.lang)
  const toasts = new Toasts()
  const modals = new Modals(words, (dialog, choice) => {
    if (choice === 'join-audio') meeting?.joinAudio()
    if (choice === 'unmute') void devices.set('microphone', true)
    say({ say: 'dialog', dialog, choice })
  })
  const context: UiContext = {
    settings,
    words,
    say,
    devices,
    pictures,
    sound,
    access: { microphone: true },
    openDialog: (kind) => modals.show(kind),
    toast: (text, forMs = TOAST_SECONDS * settings.secondMs) => toasts.show(text, forMs),
  }
  const spoken = h('div', { id: ID.spoken, 'aria-live': 'assertive' })
  let shown: Shown | null = null
  let meeting: MeetingPage | null = null
  addStyles()
  document.documentElement.lang = settings.lang
  document.body.append(modals.root, spoken)

  const build = (view: View): Shown => {
    if (view.name === 'preview') return previewPage(context, view.preview)
    if (view.name === 'classic') return classicForm(context, view.preview)
    if (view.name === 'meeting') {
      document.title = settings.topic
      meeting = meetingPage(context, toasts.root, view.people)
      return meeting
    }
    if (view.name === 'joining') return joiningPage(context)
    if (view.name === 'waiting') return waitingPage(context, view)
    if (view.name === 'loading') return { root: loadingLayer('') }
    if (view.name === 'text') return { root: box('plain-page', h('h1', view.title), view.body) }
    return { root: h('div') }
  }
  const showView = (view: View) => {
    shown?.close?.()
    meeting = null
    shown = build(view)
    if (view.name === 'blank') root.replaceChildren()
    // Toasts are part of the meeting page. Before the meeting they are separate.
    else root.replaceChildren(shown.root, ...(view.name === 'meeting' ? [] : [toasts.root]))
  }
  const showLayer = (text: string | null) => {
    root.querySelector(`.${CLASS.breakoutLayer}`)?.remove()
    if (text !== null) root.append(box(CLASS.breakoutLayer, text))
  }

  return {
    receive(message) {
      if (message.do === 'view') showView(message.view)
      else if (message.do === 'dialog') modals.show(message.dialog, message.text)
      else if (message.do === 'closeDialog') modals.close(message.dialog)
      else if (message.do === 'closeDialogs') modals.closeAll()
      else if (message.do === 'toast') context.toast(words(message.text, message.value ?? ''), message.forMs)
      else if (message.do === 'tip') root.append(tip(words(message.text), words(message.button), message.cls))
      else if (message.do === 'banner') {
        toasts.banner(words(message.text), words(TEXT.gotIt), () => {
          say({ say: 'log', event: 'rpc', target: 'banner', detail: 'closed' })
        })
      } else if (message.do === 'locked') document.title = (message.locked ? TEXT.locked : '') + settings.topic
      else if (message.do === 'layer') showLayer(message.text)
      else if (message.do === 'lost') root.append(h('div', { id: ID.lost }, words(TEXT.lost)))
      else if (message.do === 'captchaToast') root.append(box(CLASS.captchaToast, words(message.text)))
      else if (meeting && isForMeeting(message)) meeting.receive(message)
      else return false
      return true
    },
  }
}

function isForMeeting({ do: what }: ToPage): boolean {
  return ['people', 'speaking', 'chat', 'chatChange', 'chatPolicy', 'caption', 'rooms'].includes(what)
}
