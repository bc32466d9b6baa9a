/**
 * The documents of the site around the client (docs/platform-notes/zoom.md#launch-page, #cookie-and-terms-layers,
 * #frames and #the-mock).
 */
import { escaped, plainPage } from '../shared/site.ts'
import { TEXT } from './page/table.ts'

/** As the web client sends them (docs/platform-notes/zoom.md#cross-origin-isolation). */
export const ISOLATION = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'credentialless',
  'cross-origin-resource-policy': 'cross-origin',
}

export interface ClientDocument {
  scriptPath: string
  lang: string
  cookies: boolean
  isFramed: boolean
}

/** The shell of the client: one script does everything. */
export function clientDocument({ scriptPath, lang, cookies, isFramed }: ClientDocument): string {
  const bodyClass = isFramed ? ' class="body_hide_footer"' : ''
  return `<!doctype html><html lang="${escaped(lang)}"><head><meta charset="utf-8"><title>Zoom</title>
<meta name="viewport" content="width=device-width"></head>
<body${bodyClass}><div id="root"></div>${cookies ? cookieLayer() : ''}<script src="${scriptPath}" defer></script></body></html>`
}

/** Covers the form and receives its clicks. */
function cookieLayer(): string {
  const button = (id: string, text: string) =>
    `<button id="${id}" onclick="document.getElementById('onetrust-consent-sdk').remove()">${text}</button>`
  return `<div id="onetrust-consent-sdk"><div style="position:fixed;inset:0;background:#0006;z-index:70"></div>
<div id="onetrust-banner-sdk" role="dialog" aria-label="Privacy" style="position:fixed;inset:auto 0 0;padding:24px;background:#fff;color:#222;z-index:71">
<p>We use cookies to make the site work.</p>${button('onetrust-reject-all-handler', TEXT.declineCookies)}
${button('onetrust-accept-btn-handler', TEXT.acceptCookies)}</div></div>`
}

/** The web app, with the client in a frame of the same origin. */
export function shellDocument(frameUrl: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Zoom</title>
<style>html,body,.pwa-webclient,.pwa-webclient__iframe-wrapper,iframe{margin:0;width:100%;height:100%;border:0;overflow:hidden}</style></head>
<body><div class="pwa-webclient"><div class="pwa-webclient__loading" hidden></div><div class="pwa-webclient__iframe-wrapper">
<iframe id="webclient" class="pwa-webclient__iframe" role="presentation" allow="camera; microphone; autoplay; display-capture" src="${escaped(frameUrl)}"></iframe>
</div></div><script>addEventListener('message',({origin,data})=>{const event=data?.message?.event
if(origin===location.origin&&(event==='LEAVE'||event==='CLOSED'))location.assign('/wc/home')})</script></body></html>`
}

export function launchDocument(style: 'new' | 'old' | 'old-without-browser', browserUrl: string): string {
  return style === 'new' ? newLaunch(browserUrl) : oldLaunch(style === 'old' ? browserUrl : null)
}

/** After a moment the desktop program was tried, the title has changed and the address has a mark. */
const TRIED = `setTimeout(()=>{document.title=${JSON.stringify(TEXT.launchTitleLater)};location.hash='success'},2500)`

function newLaunch(browserUrl: string): string {
  return plainPage(
    TEXT.launchTitle,
    `<div id="zoom-ui-frame" role="main"><h1>${TEXT.launchHeading}</h1>
<button class="zm-btn zm-btn--primary">${TEXT.launchApp}</button>
<button class="zm-btn" onclick="location.assign('${escaped(browserUrl)}')">${TEXT.launchBrowser}</button>
<p>${TEXT.launchDownload}</p><p>${TEXT.launchAgreement}</p>
<div role="dialog">${TEXT.launchPopover}<button aria-label="${TEXT.launchPopoverClose}" onclick="this.parentElement.remove()">×</button></div></div>
<script>window.launchBase64=${JSON.stringify(Buffer.from(browserUrl).toString('base64'))};${TRIED}</script>`,
  )
}

/** The way to the browser shows only after the program was asked for; some hosts have switched it off. */
function oldLaunch(browserUrl: string | null): string {
  const link = browserUrl ? `<a id="browser" hidden href="${escaped(browserUrl)}">${TEXT.launchOldBrowser}</a>` : ''
  const show = "document.getElementById('browser')?.removeAttribute('hidden')"
  return plainPage(
    TEXT.launchTitle,
    `<div role="main"><button onclick="${show}">${TEXT.launchOld}</button>
<a href="#" onclick="${show}">${TEXT.launchOldDownload}</a> ${link}</div><script>${TRIED}</script>`,
  )
}

/** The link, the number or the host is not there; a meeting that has not begun looks the same. */
export function errorDocument(): string {
  return plainPage(
    TEXT.errorTitle,
    `<div id="global-error"><div class="box"><span class="error-message">${TEXT.invalidLink}<br>
${TEXT.invalidLinkCode}</span></div></div>`,
  )
}

export function signInDocument(): string {
  return plainPage(
    'Sign In - Zoom',
    `<h1>Sign in</h1><form><input type="email" aria-label="Email Address"><input type="password" aria-label="Password">
<button type="button">Sign In</button></form>`,
  )
}

/** The client's address, with a message in place of the form. */
export function wallDocument(text: string): string {
  return plainPage('Zoom', `<div id="root"><div id="prompt"><p>${text}</p><a href="/signin">Sign In</a></div></div>`)
}

export function registrationDocument(): string {
  return plainPage(
    'Meeting Registration - Zoom',
    '<h1>Meeting Registration</h1><form><label>First Name<input name="first"></label><label>Email Address<input name="mail"></label><button type="button">Register</button></form>',
  )
}

export function externalDocument(): string {
  return plainPage(
    'Zoom',
    `<h1>${TEXT.externalMeeting}</h1><p>This meeting does not belong to acme.zoom.us</p><button>Continue</button>`,
  )
}

export function homeDocument(): string {
  return plainPage('Zoom', '<h1>Home</h1><a href="/signin">Sign In</a><a href="/join">Join a Meeting</a>')
}

export function leftDocument(): string {
  return plainPage('Zoom', `<h1>${TEXT.thanks}</h1>`)
}

export function somethingWrongDocument(): string {
  return plainPage('Zoom', `<div class="error-page"><h1>${TEXT.somethingWrong}</h1><button>Reload</button></div>`)
}

export function captchaFrame(): string {
  return plainPage(
    'reCAPTCHA',
    '<div role="checkbox" tabindex="0" aria-checked="false"></div><span>I\'m not a robot</span>',
  )
}

/** A captcha: letters that a person has to read. */
export const CAPTCHA_IMAGE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="48"><text x="20" y="34" font-size="28" fill="#9ab">x7Kq2</text></svg>'
