import type { OpenDriver } from '../shared/driver-options.ts'
import { DeviceToggles } from '../shared/join/device-toggles.ts'
import { JoinForm } from '../shared/join/join-form.ts'
import { loadMeeting } from '../shared/join/loading.ts'
import { languageNote } from '../shared/join/refusal.ts'
import { DialogResponder } from '../shared/page-access/dialogs.ts'
import { devicesAtStart } from '../shared/page-access/script-config.ts'
import { openMeetingPage, PlatformDriver } from '../shared/platform-driver.ts'
import type { Waits } from '../shared/waits.ts'
import { teamsChat } from './chat.ts'
import { answerOf } from './dialogs.ts'
import { InCallTasks } from './in-call-tasks.ts'
import { JoinFlow } from './join-flow.ts'
import { leaveSteps } from './leaving.ts'
import type { ElementName, PageSnapshot, TeamsPageApi } from './page/types.ts'
import { SIGN_IN_STANDS_MS, teamsClassifier } from './page-classifier.ts'
import { teamsScript } from './page-script.ts'
import type { PageStateKind } from './page-state.ts'

export const openMicrosoftTeams: OpenDriver = async (target, environment, signal, options) => {
  const expectsAccount = options.expectsAccount ?? false
  const url = expectsAccount ? withAccount(target.url) : target.url
  const page = await openMeetingPage<PageSnapshot, ElementName, TeamsPageApi>(environment, signal, options, {
    script: teamsScript(options, environment),
    waits: TEAMS_WAITS,
    mediaOrigins: mediaOrigins(url),
  })
  const devices = new DeviceToggles(page, devicesAtStart(options))
  const dialogs = new DialogResponder(page, (dialog) => answerOf(dialog, { consent: options.recordingConsent }))
  const form = new JoinForm(page, devices, options.botName)
  const joinFlow = new JoinFlow({ page, form, expectsAccount })
  const chat = teamsChat(page)
  const inCallTasks = new InCallTasks(page, chat, options.recordingMode)
  return new PlatformDriver<PageSnapshot, PageStateKind>({
    platform: 'teams',
    page,
    options,
    classifier: teamsClassifier(page.waits, expectsAccount),
    devices,
    async answerOpenDialog(snapshot) {
      const answered = await dialogs.answerOpenDialog(snapshot)
      joinFlow.dialogAnswered(answered)
      return answered
    },
    entrance: {
      open: async (aborted) => {
        const token = await options.teamsToken?.()
        await loadMeeting(page, token ? withToken(url, token) : url, aborted, 'Microsoft Teams')
      },
      ask: (snapshot, state) => joinFlow.ask(snapshot, state),
      hasAsked: () => form.hasAsked,
      timeOut: (snapshot) => form.timeOut(snapshot),
      pageNote: languageNote,
      wait: (snapshot, state) => joinFlow.wait(snapshot, state),
    },
    chat: chat.steps,
    sharing: {},
    captions: { turnOn: () => inCallTasks.turnOnCaptions() },
    leaving: leaveSteps(page, () => form.hasAsked),
    hide: hideCoordinates,
    watching: {
      afterPoll: (snapshot, state, isNewDocument) => inCallTasks.afterPoll(snapshot, state, isNewDocument),
      endLooks: { sign_in_page: 1 + Math.ceil(SIGN_IN_STANDS_MS / page.waits.callPollEveryMs) },
    },
  })
}

/**
 * The light client has the complete invitation in its address, with the passcode
 * (docs/platform-notes/microsoft-teams.md#meeting-links).
 */
function hideCoordinates(text: string): string {
  return text.replace(/\b(coords(?:=|%3D))[\w%+/=.-]+/gi, '$1[redacted]')
}

/** The page may move from the link's host to another one of Microsoft Teams. */
function mediaOrigins(url: string): string[] {
  const known = ['https://teams.microsoft.com', 'https://teams.live.com', 'https://teams.cloud.microsoft']
  return [...new Set([new URL(url).origin, ...known])]
}

/** Removes the parameter that would let a signed-in bot join as a guest. */
export function withAccount(url: string): string {
  return url.replace(/&anon=true$/, '').replace(/\?anon=true$/, '')
}

/** The part behind `#` does not go to servers; the page reads it (docs/platform-notes/microsoft-teams.md#registered-bots). */
function withToken(url: string, token: string): string {
  return `${url}${url.includes('#') ? '&' : '#'}token=${token}`
}

/**
 * Waits of Microsoft Teams that differ from the usual ones (docs/platform-notes/microsoft-teams.md#timing).
 * Milliseconds.
 */
export const TEAMS_WAITS: Partial<Waits> = {
  /** Government hosts are slow to answer. */
  loadMs: 60_000,
  /** Five documents load one after the other before the page to join from, and slower on bad days. */
  preJoinMs: 150_000,
  unknownPageMs: 60_000,
  /** Two polls that agree, at least a second apart; the waiting room has no button to leave. */
  holdAfterLobbyMs: 2000,
  holdWithoutLobbyMs: 4000,
  holdWithRosterMs: 1200,
  /** The pane mounts late; a meeting without chat loses this much time at its beginning. */
  chatOpenMs: 6000,
  /** A connection that is lost for longer does not come back by itself. */
  reconnectMs: 60_000,
  unknownInCallMs: 60_000,
  /** A click that works has its effect within half a second to three seconds. */
  leaveMs: 3000,
}
