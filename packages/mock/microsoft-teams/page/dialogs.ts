/** Dialogs, whose overlay really catches clicks, and the notices of the call. */
import { box, brokenText, type Child, h } from '../../shared/page/dom.ts'
import { button, type Context, part } from './context.ts'
import type { BannerKind, DialogKind } from './protocol.ts'

/**
 * Where the platform once put the dialog about devices (docs/platform-notes/microsoft-teams.md#dialogs-around-join).
 */
const FRAME_PATH = '/light-meetings/frame'

export class Dialogs {
  private readonly context: Context
  private readonly open = new Map<DialogKind, HTMLElement>()

  constructor(context: Context) {
    this.context = context
  }

  show(kind: DialogKind): void {
    this.close(kind)
    const overlay = kind === 'captcha' ? this.captcha() : this.plain(kind)
    if (kind === 'av-confirm-frame') this.showInFrame(kind, overlay)
    else {
      this.open.set(kind, overlay)
      this.context.layers.append(overlay)
    }
  }

  closeAll(): void {
    for (const kind of [...this.open.keys()]) this.close(kind)
  }

  private close(kind: DialogKind): void {
    this.open.get(kind)?.remove()
    this.open.delete(kind)
  }

  private answer(kind: DialogKind, choice: string): void {
    this.close(kind)
    this.context.say({ say: 'dialog', dialog: kind, choice })
  }

  private plain(kind: DialogKind): HTMLElement {
    const { words, random, cls } = this.context
    const { heading, body, buttons } = TEXTS[kind as keyof typeof TEXTS]
    return overlayOf(this.context, { 'aria-modal': 'true', 'aria-label': words(heading || body) }, [
      heading !== '' && h('h2', brokenText(random, words(heading))),
      h('div', brokenText(random, words(body))),
      button(this.context, { 'aria-label': words('Close') }, '×', () => this.answer(kind, 'close')),
      box(
        cls('row'),
        ...buttons.map(([label, choice]) => button(this.context, {}, words(label), () => this.answer(kind, choice))),
      ),
    ])
  }

  private captcha(): HTMLElement {
    const { words, cls } = this.context
    const box = h('input', {
      'data-tid': 'HIP-Captcha-Input',
      placeholder: words('Type the characters you see'),
      maxlength: 20,
    })
    return overlayOf(this.context, { 'aria-describedby': 'captcha-dialog-instructions', 'aria-modal': 'true' }, [
      h('h2', words("Verify you're a real person")),
      h('div', { id: 'captcha-dialog-instructions' }, words('Enter the characters you see in the picture.')),
      h('img', { 'data-tid': 'HIP-Captcha-Image', alt: '', class: cls('captcha') }),
      box,
      button(this.context, { 'data-tid': 'HIP-Captcha-Audio-Play' }, words('Play audio')),
      button(this.context, {}, words('Verify'), () => this.answer('captcha', box.value.slice(0, 20))),
    ])
  }

  private showInFrame(kind: DialogKind, dialog: HTMLElement): void {
    const frame = h('iframe', { src: FRAME_PATH, class: this.context.cls('dialogFrame') })
    this.open.set(kind, frame)
    frame.addEventListener('load', () => {
      const inside = frame.contentDocument
      if (!inside) return
      inside.body.replaceChildren(inside.adoptNode(dialog))
    })
    this.context.layers.append(frame)
  }
}

const AV_CONFIRM = {
  heading: '',
  body: "Are you sure you don't want audio or video? If you change your mind, select the camera icon by your address bar and then Always allow.",
  buttons: [['Continue without audio or video', 'continue']],
} as const

const TEXTS = {
  'av-confirm': AV_CONFIRM,
  'av-confirm-frame': AV_CONFIRM,
  info: { heading: 'Your meeting is ready', body: 'Other people can see your name.', buttons: [['Got it', 'ok']] },
  // No tree of the consent dialog was recorded; the sentence is that of the sibling SDK
  // (docs/platform-notes/microsoft-teams.md#layouts-banners-and-incoming-video).
  consent: {
    heading: 'Recording and transcription have started',
    body: 'By joining, you are giving consent for this meeting to be transcribed. Privacy policy',
    buttons: [['OK', 'ok']],
  },
  // No real page was seen with breakout rooms; people describe a message that asks them to join.
  breakout: {
    heading: '',
    body: 'You have been assigned to a breakout room',
    buttons: [
      ['Join room', 'join'],
      ['Not now', 'later'],
    ],
  },
  'still-there': {
    heading: 'Are you still there?',
    body: "You're the only one here.",
    buttons: [
      ['Leave', 'leave'],
      ['Stay', 'stay'],
    ],
  },
} as const

function overlayOf({ cls }: Context, attributes: Record<string, string>, children: Child[]): HTMLElement {
  const dialog = h('div', { role: 'dialog', class: `fui-DialogSurface ${cls('dialog')}`, ...attributes }, ...children)
  return box(`ui-dialog__overlay ${cls('overlay')}`, dialog)
}

const BANNERS: Record<BannerKind, string> = {
  JoinersOngoingRecording:
    'Recording and transcription have started. By joining, you are giving consent for this meeting to be transcribed. Privacy policy',
  DeviceCaptureMute: 'Your mic is muted by your system settings.',
  VideoCapturePermissionDenied: 'Teams needs permission to access your camera',
  lobby: 'Someone is waiting in the lobby',
  RoomsOpen: 'Breakout rooms are open',
  RoomsClosing: 'Breakout rooms are closing',
}

/** A strip at the top of the call. It is an alert like many others, and does not report an end. */
export function bannerOf(context: Context, kind: BannerKind): HTMLElement {
  const { words, cls } = context
  const banner: HTMLElement = part(
    `callingAlert_${kind}`,
    { role: 'alert', class: cls('banner') },
    h('span', words(BANNERS[kind])),
    button(context, { 'data-tid': `callingAlertDismissButton_${kind}`, 'aria-label': words('Dismiss') }, '×', () =>
      banner.remove(),
    ),
  )
  return banner
}

export function toastOf({ cls, random }: Context, text: string): HTMLElement {
  return h('div', { class: `fui-Toast ${cls('toast')}`, role: 'alert' }, brokenText(random, text))
}
