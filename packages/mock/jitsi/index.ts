/** The mock Jitsi server, for tests and for `standin mock`. */
export { SCENARIOS } from './scenarios.ts'
export { jitsi, type MockJitsi, startMockJitsi } from './server.ts'
