/** What came of a visit at a provider: of a sign-in, and of connecting an account by the app of the operator. */
import type { Answers } from './api.ts'

export type Provider = Answers['Me']['connects'][number]

const AT: Record<Provider, string> = { google: 'Google', microsoft: 'Microsoft', zoom: 'Zoom' }
const NAMES: Record<Provider, string> = { google: 'Google Calendar', microsoft: 'Outlook calendar', zoom: 'Zoom' }

const SCOPES: Record<string, string> = {
  'calendar.events.readonly': 'view the events of your calendars',
  'calendar.calendarlist.readonly': 'see the list of your calendars',
  'Calendars.Read': 'read your calendars',
  'user:read:user': 'view your profile',
  'user:read:token': 'join meetings on your behalf',
}

const NOTHING = 'Nothing was connected.'
const unavailable = (at: string) => `${at} does not answer right now. ${NOTHING} Try again later.`
const appRefused = (at: string) =>
  `${at} refused the app of this service. ${NOTHING} An operator has to check its client ID, client secret and redirect address; the log has the answer.`
const otherAccount = () =>
  `The account that you chose does not have this calendar. ${NOTHING} Connect again with the account of the calendar.`
const failed = () => `The service could not connect the account. ${NOTHING} The log of the service has the reason.`

/** By the word that the service adds to the address. */
const PROBLEMS: Record<string, (at: string, missing: string) => string> = {
  denied: (at) => `You did not allow the access at ${at}. ${NOTHING}`,
  scope_missing: (at, missing) =>
    `You did not allow the app to ${missing}. ${NOTHING} Connect again and leave every box ticked. If ${at} shows no box for it, an operator has to add the permission to the app.`,
  no_refresh_token: (at) =>
    `${at} allowed the access for one hour only. ${NOTHING} Connect again and leave every box ticked; if that does not help, remove the app from your account at ${at} first.`,
  expired: () =>
    `The consent took more than ten minutes, was answered before, or began in another browser. ${NOTHING} Connect again.`,
  used: () =>
    'This answer was used before, or belongs to another sign-in or to an earlier click. It connected nothing. Connect again.',
  code_refused: (at) => `${at} refused the answer, because it was used before or is too old. ${NOTHING} Connect again.`,
  forbidden: () => `Only members and owners of the team may connect an account. ${NOTHING}`,
  too_many: () => `There were too many requests. ${NOTHING} Wait a minute and connect again.`,
  unavailable,
  rate_limited: unavailable,
  app_refused: appRefused,
  client_refused: appRefused,
  revoked: appRefused,
  token_refused: appRefused,
  permission_denied: (at) =>
    `${at} does not let the app read this account. ${NOTHING} An administrator of the account may have to allow the app.`,
  no_mailbox: (at) => `This account has no mailbox at ${at}, and so no calendar. ${NOTHING}`,
  already_connected: () =>
    'This calendar is connected already. If it has a problem, open it and choose "Connect again".',
  raw_calendar_not_found: otherAccount,
  not_found: otherAccount,
  calendar_not_found: () => `The calendar was disconnected in the meantime. ${NOTHING}`,
  limit_reached: () =>
    `The team has as many calendars as it may have. ${NOTHING} Disconnect one, or ask the operator for more.`,
  invalid: failed,
  failed,
}

export const CONNECT_TEXTS = {
  button: (provider: Provider) => `Connect ${NAMES[provider]}`,
  /** Variables of the operator's settings. */
  unset: (provider: Provider) => [
    NAMES[provider],
    `STANDIN_${provider.toUpperCase()}_CLIENT_ID`,
    `STANDIN_${provider.toUpperCase()}_CLIENT_SECRET`,
  ],
  isNotOffered: ': an operator can offer a button here with',
  and: 'and',
  again: 'Connect again',
  ownApp: 'With your own OAuth app',
  ownZoomApp: 'With your own Zoom app, or your registered Teams bot',
  others: 'Other calendars of this account',
  showOthers: 'Show other calendars',
  noOthers: 'The account has no other calendar.',
  otherColumns: ['Calendar', ''],
  connectOther: 'Connect',
  connected: {
    calendar: {
      new: 'The calendar is connected. The first sync has started.',
      again: 'The calendar is connected again.',
    },
    zoom: { new: 'The Zoom user is connected.', again: 'This Zoom user was connected before and is authorized again.' },
  },
  problem(word: string, provider: string, missing: string): string {
    const scopes = missing.split(' ').flatMap((scope) => SCOPES[scope] ?? [])
    const text = PROBLEMS[word] ?? failed
    return text(AT[provider as Provider] ?? 'The provider', scopes.join(' and ') || 'do what it needs')
  },
}

/** Reasons for a failed sign-in through the OpenID provider. */
export const SIGN_IN_PROBLEMS: Record<string, string> = {
  expired: 'The sign-in took too long, or started in another browser. Please try again.',
  refused: 'The provider refused the sign-in.',
  invalid: 'The response of the provider is not valid. The operator can find the reason in the log.',
  unavailable: 'The provider cannot be reached right now. Please try again later.',
  too_many: 'Too many sign-in attempts. Wait a minute and try again.',
  not_verified: 'The provider does not report your e-mail address as verified. Verify it there first.',
  not_invited: 'Your e-mail address was not invited. Ask an owner of your team for an invitation.',
  not_confirmed: 'An owner of your team has to confirm your e-mail address first, on the page "Team".',
  other_account:
    'You signed in before with another account of this provider. Use that one, or ask an owner to remove you and invite you again.',
  removed: 'You were removed from the team. Ask an owner for a new invitation.',
  signed_out:
    'You were not signed in when you came back from the provider, so nothing was connected. Sign in and connect again.',
}
