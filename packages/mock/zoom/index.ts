/** The mock Zoom. */
export type { ZoomMeeting } from './meeting.ts'
export { SCENARIOS } from './scenarios.ts'
export { type MockZoom, startMockZoom, zoom } from './server.ts'
