/**
 * The pre-join page of the current client (docs/platform-notes/zoom.md#pre-join-page) with its device dialogs
 * (docs/platform-notes/zoom.md#device-dialogs).
 */

import { type DeviceKind, showTrack } from '../../shared/page/devices.ts'
import type { Shown } from '../../shared/page/dom.ts'
import { box, h, mutedVideo, setAttribute } from '../../shared/page/dom.ts'
import { svgIcon, type UiContext, zmButton } from './context.ts'
import type { PreviewSettings } from './protocol.ts'
import { CLASS, ID, LABEL, TEXT } from './table.ts'
import { captchaPlace, typedCaptcha } from './walls.ts'

/**
 * A field that a framework controls: it accepts only text that real keys typed, character by character. Text that was
 * typed before the page has settled is lost (docs/platform-notes/zoom.md#pre-join-page).
 */
interface TypedField {
  /** The field's text in the state of the page. */
  value(): string
}

interface TypedFieldRules {
  /** Text set without keys counts, too. */
  lenient: boolean
  initial: string
  /** False while the page is still rendering. */
  isSettled(): boolean
  onChange(): void
}

/** Watches an input; the page's Join follows `value`, not what the box shows. */
function typedField(input: HTMLInputElement, rules: TypedFieldRules): TypedField & { settle(): void } {
  let believed = rules.initial
  input.value = rules.initial
  input.addEventListener('input', (event) => {
    if (!rules.isSettled()) return
    // A value that a script set stays visible, but the framework ignores it. Later keys do not change that.
    if (rules.lenient || (event.isTrusted && isOneKey(believed, input.value))) believed = input.value
    rules.onChange()
  })
  return {
    value: () => (believed === input.value ? believed : ''),
    settle() {
      if (input.value === believed) return
      input.value = believed
      rules.onChange()
    },
  }
}

/** One key adds a single character (two units for an emoji); clearing a marked text is one key, too. */
function isOneKey(before: string, after: string): boolean {
  return after.length - before.length <= 2
}

const LOOKS = {
  microphone: {
    id: ID.previewAudio,
    on: { label: LABEL.mute, icon: 'SvgAudioMute' },
    off: { label: LABEL.unmute, icon: 'SvgAudioUnmute' },
    none: LABEL.joinAudio,
    more: LABEL.moreAudio,
  },
  camera: {
    id: ID.previewVideo,
    on: { label: LABEL.stopVideo, icon: 'SvgVideoOn' },
    off: { label: LABEL.startVideo, icon: 'SvgVideoOff' },
    none: LABEL.startVideo,
    more: LABEL.moreVideo,
  },
} as const

interface DeviceButton {
  root: HTMLElement
  /** Ends the spinner: from now on the button shows the device. */
  settle(): void
  close(): void
}

function previewDeviceButton({ devices, words }: UiContext, kind: DeviceKind): DeviceButton {
  const look = LOOKS[kind]
  let settled = false
  const more = h('button', { type: 'button', class: CLASS.previewToggle, 'aria-label': words(look.more) })
  const root = zmButton({ id: look.id, class: CLASS.previewControl }, (event) => {
    if (settled && !(event.target as Element).closest(`.${CLASS.previewToggle}`)) {
      void devices.set(kind, !devices.isOn(kind))
    }
  })
  const show = () => {
    const state = devices.isOn(kind) ? look.on : look.off
    const label = words(devices.exists(kind) ? state.label : look.none)
    setAttribute(root, 'aria-label', label)
    const icon = settled ? svgIcon(state.icon) : h('i', { class: 'preview-spinner' })
    root.replaceChildren(icon, h('span', label), more)
  }
  const stop = devices.watch(show)
  return {
    root: box('preview-control-slot', root),
    settle() {
      settled = true
      show()
    },
    close: stop,
  }
}

const MAX_NAME_BYTES = 128
/** How long devices take to start, and Join to follow valid input (docs/platform-notes/zoom.md#timing). */
const SETTLE_SECONDS = 1
const ENABLE_SECONDS = 1.2
const DEVICE_TOAST_SECONDS = 60

export function previewPage(context: UiContext, preview: PreviewSettings): Shown {
  const { settings, words, say, devices } = context
  const { secondMs } = settings
  let settled = false
  let swallows = preview.swallowedClicks
  let enabling: ReturnType<typeof setTimeout> | undefined
  const audio = previewDeviceButton(context, 'microphone')
  const video = previewDeviceButton(context, 'camera')
  const picture = mutedVideo({ class: 'preview-self' })
  const stopPicture = devices.watch(() => showTrack(picture, devices.track('camera')))

  const check = () => {
    clearTimeout(enabling)
    const ready = settled && isValid()
    if (!ready) setJoinable(false)
    else enabling = setTimeout(() => setJoinable(true), ENABLE_SECONDS * secondMs)
  }
  const rules = { lenient: preview.lenient, isSettled: () => settled, onChange: () => check() }
  const input = (id: string, extra: Record<string, string | number>) =>
    h('input', { id, type: 'text', class: CLASS.fieldInput, autocomplete: 'off', ...extra })
  const nameInput = input(ID.name, { maxlength: 128, 'aria-describedby': ID.nameError })
  const name = typedField(nameInput, { ...rules, initial: preview.name })
  const passcodeInput = input(ID.passcode, { maxlength: 64 })
  passcodeInput.classList.add(CLASS.fieldInputPassword)
  const passcode = typedField(passcodeInput, { ...rules, initial: '' })
  const emailInput = input(ID.email, {})
  const email = typedField(emailInput, { ...rules, initial: '' })
  const errors = {
    name: h('div', { id: ID.nameError, class: CLASS.fieldError, role: 'alert', hidden: true }),
    passcode: h('div', { id: ID.passcodeError, class: CLASS.fieldError, role: 'alert', hidden: true }),
    email: h('div', { id: ID.emailError, class: CLASS.fieldError, role: 'alert', hidden: true }),
  }
  const showNameError = () => {
    const tooLong = new TextEncoder().encode(name.value()).length > MAX_NAME_BYTES
    const text = tooLong ? words(TEXT.longName) : settled && nameInput.value === '' ? words(TEXT.noName) : ''
    errors.name.textContent = text
    errors.name.hidden = text === ''
  }
  nameInput.addEventListener('blur', showNameError)
  const isValid = () =>
    name.value().trim() !== '' &&
    new TextEncoder().encode(name.value()).length <= MAX_NAME_BYTES &&
    (!preview.passcode || passcode.value() !== '') &&
    (!preview.email || /.+@.+/.test(email.value()))

  const join = zmButton(
    { class: `${CLASS.join} disabled` },
    (event) => {
      if (join.classList.contains('disabled')) return
      if (swallows > 0) {
        swallows--
        return
      }
      const given = {
        name: name.value().trim(),
        passcode: passcode.value(),
        email: email.value(),
        captcha: typedCaptcha(info),
      }
      say({ say: 'join', ...given, isTrusted: event.isTrusted })
    },
    words(TEXT.join),
  )
  // Only the class says so: for the browser the button is enabled, and the element below it gets the clicks.
  const setJoinable = (joinable: boolean) => join.classList.toggle('disabled', !joinable)

  const field = (title: string, box: HTMLElement, error: HTMLElement) => [
    h('label', { class: CLASS.fieldTitle, for: box.id }, words(title)),
    box,
    error,
  ]
  const wallText = h('div', { class: CLASS.previewCaptchaError, role: 'alert', hidden: true })
  if (preview.wall === 'bot') {
    wallText.textContent = words(TEXT.botWallInline)
    wallText.hidden = false
  }
  const info = box(
    CLASS.previewInfo,
    box(CLASS.previewTitle, words(TEXT.previewTitle)),
    ...(preview.passcode ? field(TEXT.passcode, passcodeInput, errors.passcode) : []),
    ...(preview.email ? field(TEXT.email, emailInput, errors.email) : []),
    ...field(TEXT.name, nameInput, errors.name),
    h('label', { class: CLASS.remember }, h('input', { type: 'checkbox' }), words(TEXT.remember)),
    ...captchaPlace(preview.captcha, words),
    wallText,
    join,
    box(CLASS.agreement, words(TEXT.agreement)),
    box(CLASS.captchaTerms, words(TEXT.captchaTerms)),
  )
  const card = box(
    CLASS.previewCard,
    picture,
    box(
      CLASS.previewControls,
      audio.root,
      video.root,
      zmButton({ class: CLASS.previewBackground, 'aria-label': words(LABEL.backgrounds) }, () => {}, '✦'),
    ),
  )
  const root = box(`${CLASS.preview} ${CLASS.previewDark}`, card, info)

  if (preview.passcodeError !== '') {
    passcodeInput.classList.add(CLASS.fieldInputError)
    errors.passcode.textContent = words(preview.passcodeError)
    errors.passcode.hidden = false
  }

  const settle = () => {
    settled = true
    audio.settle()
    video.settle()
    // Rendered again from the state of the page: letters that were typed early are lost.
    for (const typed of [name, passcode, email]) typed.settle()
    check()
    say({ say: 'devicesSettled' })
  }
  let isClosed = false
  void acquireDevices(context, preview, root).then(() => {
    setTimeout(() => !isClosed && settle(), SETTLE_SECONDS * secondMs)
  })
  return {
    root,
    close() {
      isClosed = true
      clearTimeout(enabling)
      audio.close()
      video.close()
      stopPicture()
      showTrack(picture, null)
    },
  }
}

/** The client's own dialog comes before the browser's, once or twice, where the browser would have to ask. */
async function acquireDevices(context: UiContext, preview: PreviewSettings, place: HTMLElement): Promise<void> {
  const { devices, words, say } = context
  const wished = { microphone: true, camera: true }
  const needed = await devices.needPrompt()
  say({ say: 'ready', needsPrompt: needed, lang: navigator.language })
  if (preview.permission !== 'auto' || (needed && preview.devices === 'ask')) {
    const allowed = await permissionDialog(place, [words(TEXT.useDevices), words(TEXT.withoutDevices)])
    wished.microphone = wished.camera = allowed
    if (preview.permission === 'twice') {
      wished.microphone = await permissionDialog(place, [words(TEXT.allow), words(TEXT.withoutMicrophone)])
    }
  }
  context.access.microphone = wished.microphone
  // Devices that were acquired before a wrong passcode are still there.
  if (!devices.exists('microphone') && !devices.exists('camera')) await devices.acquire(wished)
  const toast = (text: string) => context.toast(words(text), DEVICE_TOAST_SECONDS * context.settings.secondMs)
  if (!devices.exists('camera')) toast(TEXT.noCamera)
  if (!devices.exists('microphone')) toast(TEXT.noMicrophone)
  if (!wished.microphone) toast(TEXT.enableAccess)
}

/** Resolves with whether the first button was pressed. */
function permissionDialog(place: HTMLElement, [allow, refuse]: [string, string]): Promise<boolean> {
  return new Promise((resolve) => {
    const button = (text: string, allowed: boolean) =>
      zmButton(
        { class: CLASS.permissionButton },
        () => {
          dialog.remove()
          resolve(allowed)
        },
        text,
      )
    const dialog = h(
      'div',
      { class: CLASS.permission, role: 'dialog', 'aria-modal': 'true' },
      h('p', 'Do you want people to see and hear you in the meeting?'),
      h('div', button(allow, true), button(refuse, false)),
    )
    place.append(dialog)
  })
}
