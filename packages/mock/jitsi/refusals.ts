/** How a server refuses a visitor: the name of the failure in the page, and the notification. */
import type { Notice } from './page/protocol.ts'
import type { JoinResponse } from './settings.ts'

export interface Refusal {
  failure: string
  notice: Notice
}

export const REFUSALS: Readonly<Partial<Record<JoinResponse, Refusal>>> = {
  full: {
    failure: 'conference.max_users',
    notice: { title: 'dialog.maxUsersLimitReachedTitle', description: 'dialog.maxUsersLimitReached', isError: true },
  },
  'not-allowed': {
    failure: 'conference.connectionError.notAllowed',
    notice: { title: 'dialog.tokenAuthFailed', isError: true },
  },
  account: {
    failure: 'conference.connectionError.notAllowed',
    notice: { title: 'dialog.unauthenticatedAccessDisabled', isError: true },
  },
  'too-quick': {
    failure: 'conference.connectionError.notAllowed',
    notice: { title: 'dialog.tokenAuthFailed', description: 'dialog.errorRoomCreationRestriction', isError: true },
  },
  'not-connected': {
    failure: 'conference.connectionError',
    notice: { title: 'connection.CONNFAIL', description: 'dialog.connectError', isError: true },
  },
}

export const DENIED: Refusal = {
  failure: 'conference.connectionError.accessDenied',
  notice: { title: 'lobby.joinRejectedTitle', description: 'lobby.joinRejectedMessage', isError: true },
}
