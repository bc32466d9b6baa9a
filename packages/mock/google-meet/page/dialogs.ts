/** Modal dialogs with a scrim that catches clicks, and toasts. */

import { box, brokenText, type Child, h, setAttribute } from '../../shared/page/dom.ts'
import { button, type Context } from './context.ts'
import { icon } from './icons.ts'
import type { DialogKind } from './protocol.ts'

export interface Modal {
  root: HTMLElement
  close(): void
}

/** While a modal is open, the page behind it is hidden from assistive technology and cannot be clicked. */
function showModal(context: Context, children: Child[], attributes: Record<string, string> = {}): Modal {
  const { cls, dialogLayer, wrapper } = context
  const dialog = h(
    'div',
    { role: 'dialog', 'aria-modal': 'true', class: cls('dialog'), 'aria-label': 'dialog', ...attributes },
    ...children,
  )
  const root = box(cls('modal'), box(cls('scrim')), dialog)
  dialogLayer.append(root)
  setAttribute(wrapper, 'aria-hidden', 'true')
  return {
    root,
    close: () => {
      root.remove()
      if (dialogLayer.querySelector('[aria-modal]') === null) setAttribute(wrapper, 'aria-hidden', undefined)
    },
  }
}

interface DialogText {
  heading: string
  body: string[]
  /** Label, its `data-mdc-dialog-action`, and the choice that is reported to the server. */
  buttons: [label: string, action: string | null, choice: string][]
}

const DIALOGS: Record<Exclude<DialogKind, 'camera-toast'>, DialogText> = {
  'device-prompt': {
    heading: 'Do you want people to see and hear you in the meeting?',
    body: ['You can still turn off your microphone and camera anytime in the meeting.'],
    buttons: [
      ['Use microphone and camera', 'ok', 'ok'],
      ['Continue without microphone and camera', 'cancel', 'cancel'],
    ],
  },
  'signin-promo': {
    heading: 'Sign in with your Google account',
    body: ['Instead of waiting to be let in, join meetings directly'],
    buttons: [['Got it', null, 'ok']],
  },
  'escape-tip': {
    heading: 'Tip',
    body: ['Press Esc to close this tip. Your name is shown to everyone in the call.'],
    buttons: [['Got it', null, 'ok']],
  },
  'consent-recording': {
    heading: 'This video call is being recorded',
    body: ['By joining, you consent to being recorded. The recording may be shared by the host.'],
    buttons: [
      ['Leave call', 'cancel', 'cancel'],
      ['Join now', 'ok', 'ok'],
    ],
  },
  'consent-gemini': {
    heading: 'Gemini is taking notes',
    body: ["Someone turned on 'take notes for me'. By joining, you consent to Gemini using what is said."],
    buttons: [
      ['Leave call', 'cancel', 'cancel'],
      ['Join now', 'ok', 'ok'],
    ],
  },
  // The pair of buttons is all that such dialogs have in common.
  'consent-other': {
    heading: 'Notes, transcripts and recordings of this call go to its guests',
    body: [],
    buttons: [
      ['Leave', null, 'cancel'],
      ['Join now', null, 'ok'],
    ],
  },
  alone: {
    heading: 'Are you still there?',
    body: ["You're the only one here, so this call will end in less than 2 minutes. Do you want to stay in the call?"],
    buttons: [
      ['Leave now', 'cancel', 'leave'],
      ['Stay in the call', 'ok', 'stay'],
    ],
  },
  // No real page was seen with breakout rooms; people describe a prompt to join.
  breakout: {
    heading: 'You have been invited to join a breakout room',
    body: ['Room 1'],
    buttons: [
      ['Join', 'ok', 'join'],
      ['Later', 'cancel', 'later'],
    ],
  },
  'got-it': {
    heading: 'Others may see your video differently',
    body: ['Your background and framing can look different to other people in the call.'],
    buttons: [['Got it', 'ok', 'ok']],
  },
  'take-over': {
    heading: 'Take over presenting?',
    body: ['This will allow you to take over as the main presenter.'],
    buttons: [
      ['Cancel', 'cancel', 'cancel'],
      ['Share now', 'ok', 'ok'],
    ],
  },
  'leave-host': {
    heading: 'Leave the meeting?',
    body: ['You can leave the call, or end it for everyone.'],
    buttons: [
      ['Just leave the call', null, 'just-leave'],
      ['End the call for everyone', null, 'end-for-all'],
    ],
  },
}

/** Opens a dialog. The clicked button is reported to the server. */
export function openDialog(context: Context, kind: DialogKind): Modal {
  if (kind === 'camera-toast') return persistentToast(context)
  const { words, random, cls } = context
  const text = DIALOGS[kind]
  const modal: Modal = showModal(
    context,
    [
      h('h2', brokenText(random, words(text.heading))),
      ...text.body.map((line) => h('p', brokenText(random, words(line)))),
      box(
        cls('joinRow'),
        ...text.buttons.map(([label, action, choice]) =>
          button(context, { text: words(label), attributes: { 'data-mdc-dialog-action': action ?? undefined } }, () => {
            modal.close()
            context.say({ say: 'dialog', dialog: kind, choice })
          }),
        ),
      ),
    ],
    { 'aria-label': words(text.heading) },
  )
  if (kind === 'escape-tip') {
    document.addEventListener('keydown', (event) => event.key === 'Escape' && modal.close())
  }
  return modal
}

/** Not modal, ignores Escape, and covers the toolbar until its Close icon is used. */
function persistentToast(context: Context): Modal {
  const { words, cls, dialogLayer } = context
  const root = h(
    'div',
    {
      role: 'dialog',
      'data-is-persistent': 'true',
      class: cls('persistentToast'),
      'aria-label': 'Camera not found',
    },
    h('div', words('Camera not found')),
    h('div', words('Make sure your camera is plugged in')),
    button(context, { label: words('Close'), icon: 'close' }, () => root.remove()),
  )
  dialogLayer.append(root)
  return { root, close: () => root.remove() }
}

/** Short notices. Their regions stay after they disappear: one has no `aria-live`, the other one no role. */
export function toastRegion(context: Pick<Context, 'cls'>): {
  root: HTMLElement
  show(text: string, ms: number): void
} {
  const regions = [h('div', { role: 'status' }), h('div', { 'aria-live': 'polite' })] as const
  const root = box(context.cls('toasts'), ...regions)
  let shown = 0
  return {
    root,
    show(text, ms) {
      const line = box(context.cls('toast'), icon('info'), h('span', text))
      regions[shown++ % 2 === 0 ? 0 : 1].append(line)
      setTimeout(() => line.remove(), ms)
    },
  }
}
