/** The stand-in of Zoom's OAuth server. */
export { challengeOf, type StandInApp, type StandInUser } from './account.ts'
export { DONE_PATH } from './pages.ts'
export * as refusals from './refusals.ts'
export { startZoomOauth, type ZoomOauth, type ZoomOauthOptions } from './server.ts'
