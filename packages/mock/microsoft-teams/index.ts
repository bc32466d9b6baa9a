/** The mock Microsoft Teams, for tests, for `standin demo` and for `standin mock`. */
export { SCENARIOS } from './scenarios.ts'
export { type MockMicrosoftTeams, microsoftTeams, startMockMicrosoftTeams } from './server.ts'
