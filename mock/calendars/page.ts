/** The page where a person plays both providers: plain HTML with forms, no scripts. */
import { escaped } from '../shared/site.ts'
import type { StandInAccount } from './account.ts'
import type { StandInCalendar } from './calendar.ts'
import type { Platform, StandIns } from './control.ts'
import type { Instance } from './model.ts'

const DAYS_SHOWN = 30
const EVENTS_SHOWN = 100
const LINES_SHOWN = 15

const STYLE = `body{font:15px/1.45 system-ui,sans-serif;margin:1.5rem auto;max-width:78rem;padding:0 1rem;color:#1b1f24;background:#fff}
h1{font-size:1.4rem}h2{margin-top:2.2rem;border-top:2px solid #d5dae0;padding-top:.8rem}h3{margin-bottom:.3rem}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #e3e7ec;padding:.35rem .5rem;text-align:left;vertical-align:top}
form{display:inline-flex;gap:.3rem;flex-wrap:wrap;margin:.1rem .4rem .1rem 0;align-items:center}
input,select,button{font:inherit;padding:.15rem .4rem}input[type=number]{width:5rem}
code{background:#f1f4f7;padding:.1rem .3rem;word-break:break-all}.done{background:#e3f6e6;padding:.5rem .8rem}
.problem{background:#fde8e8;padding:.5rem .8rem}.off{color:#8a929b;text-decoration:line-through}details{margin:.6rem 0}`

export interface Notice {
  text: string
  isProblem: boolean
}

export function pageOf(standIns: StandIns, notice: Notice | null): string {
  const { clock } = standIns
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Stand-ins of calendars</title>
<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>
<h1>Stand-ins of calendars</h1>
${notice === null ? '' : `<p role="status" class="${notice.isProblem ? 'problem' : 'done'}">${escaped(notice.text)}</p>`}
<p>It is <strong>${clock.date().toISOString().slice(0, 16).replace('T', ' ')} UTC</strong> here.
${form({ do: 'advance' }, `<label>Move the clock on by <input type="number" name="minutes" value="60" min="0"> minutes</label>`, 'Move')}
<a href="/">Read again</a> · <a href="/api">as JSON</a></p>
${section('google', 'Google Calendar', standIns)}
${section('microsoft', 'Microsoft', standIns)}
</body></html>`
}

type Fields = Record<string, string>

/** Hidden fields say what is meant; `inner` is HTML. */
function form(fields: Fields, inner: string, button: string): string {
  const hidden = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  )
  return `<form method="post" action="/do">${hidden.join('')}${inner}<button>${escaped(button)}</button></form>`
}

export function settingsOf(standIns: StandIns, platform: Platform): string[] {
  const { google, microsoft } = standIns
  const { clientId, clientSecret } = standIns[platform].tokens
  const name = platform.toUpperCase()
  const addresses =
    platform === 'google'
      ? [
          `STANDIN_GOOGLE_URL=${google.url}`,
          `STANDIN_GOOGLE_TOKEN_URL=${google.tokenUrl}`,
          `STANDIN_GOOGLE_CONSENT_URL=${google.consentUrl}`,
        ]
      : [`STANDIN_GRAPH_URL=${microsoft.url}`, `STANDIN_MICROSOFT_LOGIN_URL=${microsoft.loginUrl}`]
  return [...addresses, `STANDIN_${name}_CLIENT_ID=${clientId}`, `STANDIN_${name}_CLIENT_SECRET=${clientSecret}`]
}

function section(platform: Platform, title: string, standIns: StandIns): string {
  const standIn = standIns[platform]
  const { pushes, server } = standIn
  const faults = [
    form({ do: 'forget-cursors', platform }, '', 'Answer 410 to the next cursor'),
    form({ do: 'lose-pushes', platform }, '', 'Lose the next push'),
    form(
      { do: 'double-pushes', platform, on: String(!pushes.doubles) },
      '',
      pushes.doubles ? 'Send pushes once' : 'Send pushes twice',
    ),
    form({ do: 'limit', platform }, '', 'Refuse the next reading with 429'),
    ...(platform === 'microsoft'
      ? ['missed', 'subscriptionRemoved', 'reauthorizationRequired'].map((event) =>
          form({ do: 'lifecycle', event }, '', `Say ${event}`),
        )
      : []),
  ]
  const watchers = 'channels' in standIn ? standIn.channels.live : standIn.subscriptions.live
  const requests = server.requests.slice(-LINES_SHOWN).reverse()
  const sent = pushes.sent.slice(-LINES_SHOWN).reverse()
  return `<h2>${title}</h2>
<p>${settingsOf(standIns, platform)
    .map((line) => `<code>${escaped(line)}</code>`)
    .join('<br>')}</p>
<p>${faults.join('')}</p>
${standIn.accounts.map((account) => accountPart(platform, account, standIns)).join('')}
<p>${form({ do: 'add-account', platform }, '<input name="email" placeholder="address of a new account">', 'Add an account')}</p>
<details><summary>${watchers.length} live subscriptions, ${pushes.sent.length} pushes, ${server.requests.length} requests</summary>
<table><tr><th>pushes, newest first</th><th>answer</th></tr>
${sent.map(({ address, status, isLost }) => `<tr><td>${escaped(address)}</td><td>${isLost ? 'lost' : (status ?? 'none')}</td></tr>`).join('')}</table>
<table><tr><th>requests, newest first</th><th>answer</th></tr>
${requests.map(({ method, path, status }) => `<tr><td>${escaped(`${method} ${path.slice(0, 200)}`)}</td><td>${status ?? 'none'}</td></tr>`).join('')}</table></details>`
}

function accountPart(platform: Platform, account: StandInAccount, standIns: StandIns): string {
  const { tokens } = standIns[platform]
  const place = { platform, account: account.email }
  const live = tokens.liveToken(account)
  return `<h3>${escaped(account.email)}</h3>
<p>client id <code>${escaped(tokens.clientId)}</code>, client secret <code>${escaped(tokens.clientSecret)}</code>, refresh token
<code>${live === null ? 'revoked' : escaped(live)}</code><br>
${form({ do: 'revoke', ...place }, '', 'Revoke the permission')}${form({ do: 'consent', ...place }, '', 'Give it (again)')}
${form({ do: 'expire-access', ...place }, '', 'End the access tokens')}
${form({ do: 'add-calendar', ...place }, '<input name="name" required placeholder="name of a new calendar">', 'Add a calendar')}</p>
${account.calendars.map((calendar) => calendarPart(platform, account, calendar, standIns)).join('')}`
}

function calendarPart(
  platform: Platform,
  account: StandInAccount,
  calendar: StandInCalendar,
  { clock }: StandIns,
): string {
  const now = clock.date()
  const until = new Date(now.getTime() + DAYS_SHOWN * 24 * 3600_000)
  const place = { platform, account: account.email, calendar: calendar.id }
  const instances = calendar.between(now, until).slice(0, EVENTS_SHOWN)
  const soon = new Date(Math.ceil(now.getTime() / 300_000) * 300_000 + 600_000).toISOString().slice(0, 16)
  return `<h4>${escaped(calendar.name)} <code>${escaped(calendar.id)}</code></h4>
<table><tr><th>start (UTC)</th><th>event</th><th>what happens to it</th></tr>
${instances.map((instance) => row(place, instance)).join('') || '<tr><td colspan="3">nothing in the next 30 days</td></tr>'}</table>
<p>${form(
    { do: 'create', ...place },
    `<input name="title" placeholder="title" value="Meeting"><input type="datetime-local" name="start" required value="${soon}">
<label><input type="number" name="minutes" value="30" min="1"> minutes</label>
<input name="link" placeholder="link of the conference"><input name="location" placeholder="location"><input name="description" placeholder="description (HTML)">
<select name="repeats" aria-label="repeats"><option value="no">once</option><option value="day">every day</option><option value="week">every week</option></select>
<label><input type="checkbox" name="allDay"> all day</label><label><input type="checkbox" name="invited"> invited by another</label>`,
    'Make it',
  )}</p>`
}

function row(place: Fields, instance: Instance): string {
  const { event, originalStart, existence, answer } = instance
  const of: Fields = { ...place, event: event.id }
  const one: Fields = originalStart === null ? of : { ...of, instance: originalStart.toISOString() }
  const isOff = existence !== 'live' || answer === 'declined'
  const move = `<label>by <input type="number" name="byMinutes" value="15"> min</label>`
  const buttons = [
    form({ do: 'move', ...one }, move, 'Move'),
    form({ do: 'cancel', ...one }, '', 'Cancel'),
    form({ do: 'delete', ...one }, '', originalStart === null ? 'Delete' : 'Exclude'),
    ...(answer === null
      ? []
      : [
          form(
            { do: 'respond', ...one, answer: answer === 'declined' ? 'accepted' : 'declined' },
            '',
            answer === 'declined' ? 'Accept' : 'Decline',
          ),
        ]),
    form({ do: 'change', ...one }, '<input name="link" placeholder="new link, or none">', 'Change the link'),
    ...(originalStart === null
      ? []
      : [
          form({ do: 'split', ...one }, move, 'Move this and the following'),
          form({ do: 'move', ...of }, move, 'Move the series'),
          form({ do: 'delete', ...of }, '', 'Delete the series'),
          form({ do: 'recreate', ...of }, '', 'Make the series again'),
          form({ do: 'repeat', ...one, repeats: 'no' }, '', 'Make it one event'),
          form(
            { do: 'zone', ...of },
            '<input name="timezone" placeholder="zone, such as Europe/Berlin">',
            'Change its zone',
          ),
        ]),
    ...(originalStart === null ? [form({ do: 'repeat', ...of, repeats: 'week' }, '', 'Repeat it every week')] : []),
    ...(existence === 'live' ? [] : [form({ do: 'restore', ...one }, '', 'Restore')]),
  ]
  const notes = [
    originalStart && 'series',
    instance.isException && 'exception',
    existence !== 'live' && existence,
    answer,
  ]
  return `<tr><td>${instance.start.toISOString().slice(0, 16).replace('T', ' ')}</td>
<td><span${isOff ? ' class="off"' : ''}>${escaped(instance.title || '(no title)')}</span><br><small>${escaped(notes.filter(Boolean).join(', '))}</small>
${instance.link === null ? '' : `<br><small>${escaped(instance.link)}</small>`}</td><td>${buttons.join('')}</td></tr>`
}
