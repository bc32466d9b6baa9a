/**
 * The older pre-join form, which some accounts and hosts still get (docs/platform-notes/zoom.md#classic-form and
 * #cookie-and-terms-layers).
 */
import { h } from '../../shared/page/dom.ts'
import type { Shown, UiContext } from './context.ts'
import type { PreviewSettings } from './protocol.ts'
import { CLASS, TEXT } from './table.ts'
import { captchaPlace, typedCaptcha } from './walls.ts'

export function classicForm({ words, say, devices }: UiContext, preview: PreviewSettings): Shown {
  const name = h('input', { id: 'inputname', type: 'text', placeholder: words(TEXT.name), maxlength: 64 })
  const passcode = h('input', { id: 'inputpasscode', type: 'text', placeholder: words(TEXT.passcode), maxlength: 10 })
  const terms = h(
    'div',
    { class: 'wc-agreement' },
    h('button', { id: 'wc_agree1', type: 'button' }, words(TEXT.agreeTerms)),
  )
  terms.querySelector('button')?.addEventListener('click', () => terms.remove())
  const error = h('div', { role: 'alert' }, words(preview.passcodeError && TEXT.classicWrongPasscode))
  const join = h('button', { id: 'joinBtn', type: 'button', class: CLASS.button, disabled: true }, words(TEXT.join))
  const check = () => {
    join.disabled = name.value.trim() === '' || (preview.passcode && passcode.value === '')
  }
  for (const box of [name, passcode]) box.addEventListener('input', check)
  join.addEventListener('click', ({ isTrusted }) => {
    const given = { name: name.value.trim(), passcode: passcode.value, email: '', captcha: typedCaptcha(form) }
    if (!terms.isConnected) say({ say: 'join', ...given, isTrusted })
  })
  const form = h(
    'form',
    { class: 'classic-form' },
    h('h1', {}, 'Join a Meeting'),
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
