/** The mock Google Meet, for tests, for `standin demo` and for `standin mock`. */
export { SCENARIOS } from './scenarios.ts'
export { type MockGoogleMeet, type MockGoogleMeetOptions, startMockGoogleMeet } from './server.ts'
