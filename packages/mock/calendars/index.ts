/** Stand-ins of the calendars of Google and Microsoft. */
export { StandInAccount } from './account.ts'

export { StandInClock } from './clock.ts'
export { MockGoogleCalendar, startMockGoogleCalendar } from './google/index.ts'
export * as googleRefusals from './google/refusals.ts'
export { type MockCalendars, startMockCalendars } from './host.ts'
export { MockMicrosoftCalendar, startMockMicrosoftCalendar } from './microsoft/index.ts'
export * as microsoftRefusals from './microsoft/refusals.ts'
