/** The pre-join page, and its block of controls, which the waiting room shows too. */

import { type DeviceKind, showTrack } from '../../shared/page/devices.ts'
import type { Shown } from '../../shared/page/dom.ts'
import { box, h, mutedVideo, setAttribute } from '../../shared/page/dom.ts'
import { button, type Context, part, randomId } from './context.ts'

/** The guest's name: a field that its page controls, so that what is put into it behind the page's back is lost. */
/** How often the page renders the field again from its state. */
const RENDER_EVERY_MS = 400

interface NameField {
  root: HTMLElement
  /** From now on the page listens; what was typed before is forgotten. */
  hydrate(): void
  close(): void
}

/**
 * Makes a name field that behaves as React's: the page learns of a change by the `input` event, and only when the value differs from the one that
 * was last assigned through the element itself. A script that sets `.value` and fires the event changes nothing.
 */
function nameField({ cls, words, name }: Context, isHydrated: boolean): NameField {
  const input = h('input', {
    type: 'text',
    class: `fui-Input__input ${cls('nameInput')}`,
    'data-tid': 'prejoin-display-name-input',
    placeholder: words('Type your name'),
    'aria-label': words('Type your name'),
    maxlength: 100,
    autocomplete: 'off',
  })
  const native = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
  const write = (text: string) => native?.set?.call(input, text)
  const read = (): string => native?.get?.call(input) ?? ''
  let tracked = ''
  Object.defineProperty(input, 'value', {
    configurable: true,
    get: read,
    set(text: unknown) {
      write(String(text))
      tracked = String(text)
    },
  })
  const render = () => {
    tracked = name.value
    if (read() !== name.value) write(name.value)
  }
  let hydrated = isHydrated
  input.addEventListener('input', () => {
    if (!hydrated || read() === tracked) return
    tracked = read()
    name.value = tracked
  })
  render()
  const timer = setInterval(() => hydrated && render(), RENDER_EVERY_MS)
  return {
    root: h('span', { class: `fui-Input ${cls('nameBox')}` }, input),
    hydrate() {
      hydrated = true
      render()
    },
    close: () => clearInterval(timer),
  }
}

const LOOKS = {
  microphone: { tid: 'toggle-mute', missing: 'Mic is not available', on: 'Mute mic', off: 'Unmute mic' },
  camera: { tid: 'toggle-video', missing: 'Camera is not available', on: 'Turn camera off', off: 'Turn camera on' },
} as const

/**
 * A checkbox whose live `checked` is the state. The attribute never changes, and `data-cid` may have either meaning
 * (docs/platform-notes/microsoft-teams.md#microphone-and-camera-switches). Disabled until devices are known.
 */
function deviceSwitch(context: Context, kind: DeviceKind): { root: HTMLElement; close(): void } {
  const { cls, devices, settings, random, words } = context
  const { tid, missing, on, off } = LOOKS[kind]
  const id = randomId(random, 'switch')
  const note = h('span', { id: `${tid}-disabled-description`, hidden: true }, words(missing))
  const input = h('input', {
    type: 'checkbox',
    role: 'switch',
    id,
    'data-tid': tid,
    class: `fui-Switch__input ${cls('switchInput')}`,
  })
  const root = h(
    'label',
    { for: id, class: `fui-Switch ${cls('switch')}` },
    h('span', { class: cls('switchName'), 'aria-hidden': 'true' }, kind === 'microphone' ? '●' : '▣'),
    input,
    h('span', { class: `fui-Switch__indicator ${cls('switchTrack')}`, 'aria-hidden': 'true' }),
    note,
  )
  input.addEventListener('change', () => void devices.set(kind, input.checked))
  const stop = devices.watch(() => {
    const exists = devices.exists(kind)
    const isOn = devices.isOn(kind)
    input.disabled = !exists
    input.checked = isOn
    setAttribute(input, 'data-cid', `${tid}-${isOn === settings.cidMeansOn}`)
    setAttribute(input, 'title', words(exists ? (isOn ? on : off) : missing))
    setAttribute(input, 'aria-label', words(kind === 'microphone' ? 'Microphone' : isOn ? 'Camera' : 'Camera is off'))
    setAttribute(input, 'aria-describedby', exists ? undefined : note.id)
  })
  return { root, close: stop }
}

/** The function of the join button, which depends on the place of the block. */
export type JoinButton = 'first' | 'disabled' | 'again'

/**
 * A shroud covers the form until the page listens to it: clicks do not reach the form, and the first keystrokes are
 * lost.
 */
export function preJoinPage(context: Context): Shown {
  const { cls, settings } = context
  const block = controlBlock(context, 'first', settings.shroudMs === 0)
  const shroud = h('div', { class: cls('shroud'), 'aria-hidden': 'true' })
  const root = screen(context, 'calling-prejoin-screen', [header(context), block.root, footer(context), shroud])
  const timer = setTimeout(() => {
    shroud.remove()
    block.hydrate()
  }, settings.shroudMs)
  return {
    root,
    close() {
      clearTimeout(timer)
      block.close()
    },
  }
}

/** A whole screen of the calling part; all of them are regions. */
export function screen({ cls }: Context, tid: string, children: (Node | string | false)[]): HTMLElement {
  return h('div', { role: 'region', 'data-tid': tid, class: cls('screen') }, ...children)
}

export function header({ cls, settings }: Context): HTMLElement {
  return part(
    'prejoin-header-content',
    { class: cls('header') },
    part(
      'prejoin-meeting-details-content',
      {},
      h(
        'h1',
        { 'aria-label': settings.title },
        h('span', { 'data-tid': 'meeting-header-title', title: settings.title, 'aria-hidden': 'true' }, settings.title),
      ),
      h('h2', { 'data-tid': 'meeting-details-container' }),
    ),
  )
}

function footer({ cls, words, settings }: Context): HTMLElement {
  return box(
    cls('footer'),
    settings.accountName === null &&
      h('a', { 'data-tid': 'auth-sign-in-link', href: '#', class: cls('link') }, words('Sign in')),
    h('a', { href: '#', class: cls('link') }, words('Need help?')),
  )
}

/** Name, preview, sound and the buttons. */
export function controlBlock(context: Context, join: JoinButton, isHydrated: boolean) {
  const { cls, words, settings, devices, say, name } = context
  const field = settings.accountName === null ? nameField(context, isHydrated) : null
  const microphone = deviceSwitch(context, 'microphone')
  const camera = deviceSwitch(context, 'camera')
  const video = mutedVideo({ class: cls('previewVideo') })
  const isOff = box(cls('previewOff'), words('Your camera is turned off'))
  const preview = part('prejoin-v2-video-preview', { class: cls('preview') })
  const stopWatching = devices.watch(() => {
    const track = devices.track('camera')
    if (track && video.isConnected && (video.srcObject as MediaStream | null)?.getVideoTracks()[0] === track) return
    showTrack(video, track)
    preview.replaceChildren(track ? video : isOff)
  })
  const joinButton = button(
    context,
    {
      id: 'prejoin-join-button',
      'data-tid': 'prejoin-join-button',
      'aria-label': words('Join now'),
      class: `fui-Button ${cls('button')} ${cls('primary')}`,
      disabled: join === 'disabled',
    },
    words('Join now'),
    () => say({ say: 'join', name: settings.accountName ?? name.value }),
  )
  const isLate = field !== null && join === 'first' && settings.nameFieldMs > 0
  const late = isLate ? setTimeout(() => root.prepend(field.root), settings.nameFieldMs) : undefined
  const root = part(
    'calling-prejoin-render-content-container',
    { class: cls('controlBlock') },
    isLate ? false : (field?.root ?? account(context)),
    part(
      'prejoin-v2-video-preview-container',
      { class: cls('previewBox') },
      preview,
      part(
        'prejoin-v2-video-actions',
        { class: cls('videoActions') },
        camera.root,
        button(context, { 'data-tid': 'button-custom-video-backgrounds' }, words('Background filters')),
      ),
    ),
    soundChoice(context, microphone.root),
    box(
      cls('row'),
      button(context, { 'data-tid': 'prejoin-cancel-button' }, words('Cancel'), () => say({ say: 'cancel' })),
      joinButton,
    ),
  )
  return {
    root,
    hydrate: () => field?.hydrate(),
    close() {
      clearTimeout(late)
      field?.close()
      microphone.close()
      camera.close()
      stopWatching()
    },
  }
}

function account(context: Context): HTMLElement {
  const { words, settings, cls } = context
  return box(
    cls('account'),
    part('me-control-avatar-trigger', {}, '◍'),
    part('me-control-displayname', {}, settings.accountName ?? ''),
    button(context, { 'data-tid': 'account-selection-change-account-button' }, words('Change to another account')),
  )
}

function soundChoice(context: Context, microphoneSwitch: HTMLElement): HTMLElement {
  const { cls, words, devices, random } = context
  const radios: HTMLElement[] = []
  const radio = (label: string, isChecked: boolean, chosen: () => void = () => {}) => {
    const element = h(
      'div',
      {
        role: 'radio',
        tabindex: 0,
        'aria-checked': String(isChecked),
        'aria-label': words(label),
        class: cls('radio'),
      },
      words(label),
    )
    element.addEventListener('click', () => {
      for (const other of radios) setAttribute(other, 'aria-checked', String(other === element))
      chosen()
    })
    radios.push(element)
    return element
  }
  let isSpeakerOn = true
  const speaker = button(
    context,
    { 'data-tid': 'speaker-toggle', title: words('Turn speaker off') },
    words('Speaker is on'),
  )
  speaker.addEventListener('click', () => {
    isSpeakerOn = !isSpeakerOn
    speaker.textContent = words(isSpeakerOn ? 'Speaker is on' : 'Speaker is off')
    setAttribute(speaker, 'title', words(isSpeakerOn ? 'Turn speaker off' : 'Turn speaker on'))
  })
  return h(
    'div',
    { role: 'radiogroup', 'aria-label': words('Computer microphone and speaker controls'), class: cls('sound') },
    part(
      'calling-prejoin-v2-computer-audio-renderer-test',
      {},
      part('prejoin-audio-common-header-computer-audio', {}, radio('Computer audio', true)),
      box(
        cls('row'),
        microphoneSwitch,
        part('selected-microphone-display', { id: randomId(random, 'menu') }, words('Default microphone')),
        part('selected-speaker-display', {}, words('Default speaker')),
        speaker,
      ),
    ),
    part(
      'calling-prejoin-v2-phone-audio-renderer-test',
      {},
      part('prejoin-audio-common-header-phone-audio', {}, radio('Phone audio', false)),
    ),
    part(
      'calling-prejoin-v2-no-audio-renderer-test',
      {},
      part(
        'prejoin-audio-common-header-computer-no-audio',
        {},
        radio("Don't use audio", false, () => void devices.set('microphone', false)),
      ),
    ),
  )
}
