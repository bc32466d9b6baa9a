/** The mock Google Meet, for tests, for `standin demo` and for `standin mock`. */
export type { MockServerOptions as MockGoogleMeetOptions } from '../shared/platform-server.ts'
export { SCENARIOS } from './scenarios.ts'
export { googleMeet, type MockGoogleMeet, startMockGoogleMeet } from './server.ts'
