/** A process with both stand-ins of calendar providers, so that their work is not counted as the service's. */
import { startMockGoogleCalendar, startMockMicrosoftCalendar } from '../../mock/calendars/index.ts'

/** Requests of the parent process. */
export type Ask =
  | { ask: 'fill'; calendars: number; series: number; singles: number }
  /** One event of each calendar gets another title. */
  | { ask: 'edit' }
  | { ask: 'count' }

export interface FilledCalendar {
  platform: 'google' | 'microsoft'
  rawCalendarId: string
  refreshToken: string
}

export interface StandInAnswer {
  addresses: { google: string; googleToken: string; graph: string; microsoftLogin: string }
  client: { clientId: string; clientSecret: string }
  calendars: FilledCalendar[]
  requests: number
}

const google = await startMockGoogleCalendar()
const microsoft = await startMockMicrosoftCalendar()
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Days of a daily series that lie in the window of 30 days. */
const OCCURRENCES = 30

const filled: FilledCalendar[] = []
const edits: (() => void)[] = []

function fill(calendars: number, series: number, singles: number): void {
  const now = Date.now()
  for (let number = 0; number < calendars; number++) {
    const provider = number % 2 === 0 ? google : microsoft
    const account = provider.addAccount()
    const { primary } = account
    const link = 'https://meet.google.com/abc-defg-hij'
    for (let index = 0; index < series; index++) {
      const start = new Date(now + HOUR + index * 60_000)
      primary.create({ title: `Series ${index}`, start, link, repeats: { every: 'day', count: OCCURRENCES } })
    }
    let first = ''
    for (let index = 0; index < singles; index++) {
      const start = new Date(now + HOUR + ((index * 29) / singles) * DAY)
      const id = primary.create({ title: `Event ${index}`, start, link, description: 'x'.repeat(500) })
      first ||= id
    }
    edits.push(() => primary.change(first, { title: `Changed ${Math.random()}` }))
    filled.push({
      platform: number % 2 === 0 ? 'google' : 'microsoft',
      rawCalendarId: primary.id,
      refreshToken: provider.tokens.consent(account),
    })
  }
}

process.on('message', (asked: Ask) => {
  if (asked.ask === 'fill') fill(asked.calendars, asked.series, asked.singles)
  if (asked.ask === 'edit') for (const edit of edits) edit()
  const answer: StandInAnswer = {
    addresses: {
      google: google.url,
      googleToken: google.tokenUrl,
      graph: microsoft.url,
      microsoftLogin: microsoft.loginUrl,
    },
    client: { clientId: google.tokens.clientId, clientSecret: google.tokens.clientSecret },
    calendars: filled,
    requests: google.server.requests.length + microsoft.server.requests.length,
  }
  process.send!(answer)
})
process.on('disconnect', () => process.exit())
process.send!('ready')
