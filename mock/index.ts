/** The mock meeting platforms. */
export { type MockGoogleMeet, type MockGoogleMeetOptions, startMockGoogleMeet } from './google-meet/index.ts'
