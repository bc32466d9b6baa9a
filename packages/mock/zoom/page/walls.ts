/** The checks that cover the form for visitors that the platform suspects (docs/platform-notes/zoom.md#walls). */
import { box, h } from '../../shared/page/dom.ts'
import type { PreviewSettings } from './protocol.ts'
import { CLASS, TEXT } from './table.ts'
import type { Words } from './words.ts'

/** The text that was typed under the picture, or an empty text. */
export function typedCaptcha(place: HTMLElement): string {
  return place.querySelector<HTMLInputElement>('.captcha-letters')?.value ?? ''
}

/** An invisible frame is on every pre-join page and means nothing; a large one, or letters to type, do. */
export function captchaPlace(captcha: PreviewSettings['captcha'], words: Words): HTMLElement[] {
  const frame = (size: 'invisible' | 'normal') =>
    h('iframe', {
      src: `https://www.google.com/recaptcha/enterprise/anchor?ar=1&size=${size}`,
      title: 'reCAPTCHA',
      style: size === 'invisible' ? 'display:none' : 'width:304px;height:78px;border:0',
    })
  if (captcha === 'frame') return [frame('normal')]
  if (captcha === 'invisible') return [frame('invisible')]
  const letters = box(
    CLASS.smartCaptcha,
    h('label', words(TEXT.captchaType)),
    h('img', { src: '/captcha-image', alt: '', width: 160, height: 48 }),
    h('input', { type: 'text', maxlength: 8, class: 'captcha-letters' }),
  )
  return [frame('invisible'), letters]
}
