/** Stand-ins of the calendars of Google and Microsoft. */
export { StandInAccount, TokenOffice } from './account.ts'
export { StandInCalendar } from './calendar.ts'
export { StandInClock } from './clock.ts'
export { MockGoogleCalendar, startMockGoogleCalendar } from './google/index.ts'
export * as googleRefusals from './google/refusals.ts'
export { MockMicrosoftCalendar, startMockMicrosoftCalendar } from './microsoft/index.ts'
export * as microsoftRefusals from './microsoft/refusals.ts'
export type { Answer, Details, NewEvent, Person, Rule } from './model.ts'
