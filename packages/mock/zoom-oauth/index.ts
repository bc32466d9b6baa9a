/** The stand-in of Zoom's OAuth server. */
export { callbackOf, challengeOf } from '../shared/consent.ts'
export type { StandInApp, StandInUser } from './account.ts'
export { DONE_PATH } from './pages.ts'
export * as refusals from './refusals.ts'
export { startZoomOauth, type ZoomOauth } from './server.ts'
