/**
 * The pre-join page of the current client (docs/platform-notes/zoom.md#pre-join-page) with its device dialogs
 * (docs/platform-notes/zoom.md#device-dialogs).
 */
import { showTrack } from '../../shared/page/devices.ts'
import { h } from '../../shared/page/dom.ts'
import { type Shown, type UiContext, zmButton } from './context.ts'
import { previewDeviceButton } from './device-buttons.ts'
import { typedField } from './name-box.ts'
import type { PreviewSettings } from './protocol.ts'
import { CLASS, ID, LABEL, TEXT } from './table.ts'
import { captchaPlace, typedCaptcha } from './walls.ts'

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
  const picture = h('video', { playsinline: true, class: 'preview-self' })
  picture.muted = true
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
  const info = h(
    'div',
    { class: CLASS.previewInfo },
    h('div', { class: CLASS.previewTitle }, words(TEXT.previewTitle)),
    ...(preview.passcode ? field(TEXT.passcode, passcodeInput, errors.passcode) : []),
    ...(preview.email ? field(TEXT.email, emailInput, errors.email) : []),
    ...field(TEXT.name, nameInput, errors.name),
    h('label', { class: CLASS.remember }, h('input', { type: 'checkbox' }), words(TEXT.remember)),
    ...captchaPlace(preview.captcha, words),
    wallText,
    join,
    h('div', { class: CLASS.agreement }, words(TEXT.agreement)),
    h('div', { class: CLASS.captchaTerms }, words(TEXT.captchaTerms)),
  )
  const card = h(
    'div',
    { class: CLASS.previewCard },
    picture,
    h(
      'div',
      { class: CLASS.previewControls },
      audio.root,
      video.root,
      zmButton({ class: CLASS.previewBackground, 'aria-label': words(LABEL.backgrounds) }, () => {}, '✦'),
    ),
  )
  const root = h('div', { class: `${CLASS.preview} ${CLASS.previewDark}` }, card, info)

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
      h('p', {}, 'Do you want people to see and hear you in the meeting?'),
      h('div', {}, button(allow, true), button(refuse, false)),
    )
    place.append(dialog)
  })
}
