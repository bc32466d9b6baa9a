/** The documents the mock serves under the real host names. */
import { escaped, plainPage as page } from '../shared/site.ts'

/** The app shell; one script does everything. */
export function roomDocument(scriptPath: string, { lang }: { lang: string }): string {
  return `<!doctype html>
<html lang="${escaped(lang)}" itemscope><head><meta charset="utf-8"><title>Jitsi Meet</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
</head><body><div id="react" role="main"></div><script src="${scriptPath}" defer></script></body></html>`
}

export function welcomeDocument(): string {
  return page(
    'Jitsi Meet',
    `<div class="welcome" id="welcome_page"><h1 class="header-text-title">Jitsi Meet</h1>
<span class="header-text-subtitle">Secure and high quality meetings</span>
<form><input id="enter_room_field" type="text" aria-label="Meeting name input"><button id="enter_room_button">Start meeting</button></form></div>`,
  )
}

export function closeDocument(): string {
  return page(
    'Thank you',
    '<div class="redirectPageMessage"><div class="thanks-msg"><p id="thanksMessage">Thank you for using Jitsi Meet!</p></div></div>',
  )
}

export function refusedDocument(): string {
  return page(
    'Jitsi Meet',
    `<div class="redirectPageMessage"><div>Sorry! You are not allowed to be here :(</div></div>`,
  )
}

export function signInDocument(): string {
  return page(
    'Sign in',
    '<h1>Sign in to continue</h1><form><input type="email" aria-label="Email"><button type="button">Next</button></form>',
  )
}

export function notFoundDocument(): string {
  return page('404 Not Found', '<div class="redirectPageMessage"><h1>404 Not Found</h1></div>')
}

export function unavailableDocument(): string {
  return page('503 Service Temporarily Unavailable', '<h1>503 Service Temporarily Unavailable</h1><hr>nginx')
}
