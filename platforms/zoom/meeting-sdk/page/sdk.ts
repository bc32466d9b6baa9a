/** Starts the Meeting SDK in the bot's page, calls it, and gathers its reports from all its channels. */
import { wrapMethod } from '../../../shared/page/dom/patch-native.ts'
import { type Attendee, fieldOf, numberOf, type SdkFactsStore } from './facts.ts'
import type { SdkAnswer, SdkJoin, SdkStart } from './types.ts'

/** The part of `window.ZoomMtg` that the bot uses; names and signatures are those of the package's typings. */
interface MeetingSdk {
  setZoomJSLib(path: string, folder: string): void
  preLoadWasm(): void
  prepareWebSDK(): void
  i18n: { load(language: string): unknown }
  init(given: Record<string, unknown>): void
  join(given: Record<string, unknown>): void
  leaveMeeting(given: Record<string, unknown>): void
  getAttendeeslist(given: Callbacks): void
  getCurrentUser(given: Callbacks): void
  inMeetingServiceListener(event: string, listener: (data: unknown) => void): void
  sendChat(given: Record<string, unknown> & Callbacks): void
  mediaCapture(given: Record<string, unknown> & Callbacks): void
  mediaCapturePermission(given: Record<string, unknown> & Callbacks): void
}

interface Callbacks {
  success?: (result: unknown) => void
  error?: (result: unknown) => void
}

/** How long a call of the SDK may take that makes no callback. Milliseconds. */
const ANSWER_MS = 8000
/** How often the SDK is asked who is there; its events report changes at once. */
const PEOPLE_EVERY_MS = 1000
/**
 * The console line by which the SDK reports failures of the gateway, and the one of a signature that `join` drops in
 * silence.
 */
const ERROR_LINE = /^join error code:/
const NO_APP_KEY = /please add appKey/

export interface SdkListeners {
  /** Called with the attendees, whenever they may have changed. */
  people(attendees: readonly Attendee[]): void
  activeSpeakers(userIds: number[]): void
  chat(message: unknown): void
  left(): void
}

export function createSdkPilot(keeper: SdkFactsStore, listeners: SdkListeners) {
  const sdk = () => (globalThis as { ZoomMtg?: MeetingSdk }).ZoomMtg ?? null
  let hasJoined = false

  listenToConsole(keeper)
  // The document's own scripts have run by then.
  globalThis.addEventListener('load', () => {
    if (sdk()) keeper.reached('ready')
    else if (document.scripts.length > 0) keeper.failed('script', null, 'the script of the SDK did not run')
  })

  function ask(call: (callbacks: Required<Callbacks>) => void): Promise<SdkAnswer> {
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve({ ok: false, code: null, text: 'no answer' }), ANSWER_MS)
      const settle = (answer: SdkAnswer) => {
        clearTimeout(late)
        resolve(answer)
      }
      try {
        call({ success: () => settle({ ok: true }), error: (result) => settle(refusal(result)) })
      } catch (error) {
        // Without a host the SDK itself throws; its words show this (docs/platform-notes/zoom.md#recording-permission).
        settle({ ok: false, code: null, text: String(error) })
      }
    })
  }

  function lookAtPeople(): void {
    const running = sdk()
    if (!running || !hasJoined) return
    try {
      running.getCurrentUser({
        success: (answer) => keeper.tookSelf(fieldOf(fieldOf(answer, 'result'), 'currentUser')),
      })
      running.getAttendeeslist({
        success(answer) {
          const list = fieldOf(fieldOf(answer, 'result'), 'attendeesList')
          const attendees = Array.isArray(list) ? (list as Attendee[]) : null
          keeper.tookAttendees(attendees)
          if (attendees) listeners.people(attendees)
        },
      })
    } catch {
      // The SDK has no list before the meeting's information has arrived.
    }
  }

  function listen(running: MeetingSdk): void {
    const on = (event: string, listener: (data: unknown) => void) => running.inMeetingServiceListener(event, listener)
    on('onJoinSpeed', (data) => keeper.tookJoinSpeed(data))
    on('onMeetingStatus', (data) => keeper.tookMeetingStatus(data))
    on('onUserIsInWaitingRoom', (data) => keeper.tookWaitingRoom(data))
    on('onRoomStatusChange', (data) => keeper.tookRoomStatus(data))
    on('onMediaCapturePermissionChange', (data) => keeper.tookCaptureAnswer(data))
    on('onMediaCaptureStatusChange', (data) => keeper.tookCaptureStatus(data))
    on('onUserJoin', lookAtPeople)
    on('onUserUpdate', lookAtPeople)
    on('onUserLeave', (data) => {
      const before = keeper.facts.left
      keeper.tookUserLeave(data)
      if (before === null && keeper.facts.left !== null) listeners.left()
      lookAtPeople()
    })
    on('onActiveSpeaker', (data) => {
      const speakers = Array.isArray(data) ? data : []
      listeners.activeSpeakers(speakers.flatMap((speaker) => numberOf(fieldOf(speaker, 'userId')) ?? []))
    })
    on('onReceiveChatMsg', (data) => listeners.chat(data))
    setInterval(lookAtPeople, PEOPLE_EVERY_MS)
  }

  return {
    start({ base, leaveUrl, view }: SdkStart): void {
      const running = sdk()
      if (!running || keeper.facts.progress !== 'ready') return
      keeper.reached('starting')
      try {
        running.setZoomJSLib(`${base}/lib`, '/av')
        running.preLoadWasm()
        running.prepareWebSDK()
        // The page's wording is a sign, so its language is set to English; without the language file the SDK is in
        // English too.
        Promise.resolve(running.i18n.load('en-US')).catch(() => {})
        running.init({
          leaveUrl,
          defaultView: view,
          patchJsMedia: true,
          disablePreview: true,
          enableWaitingRoomPreview: false,
          disableInvite: true,
          disableZoomLogo: true,
          disablePictureInPicture: true,
          leaveOnPageUnload: true,
          success() {
            listen(running)
            keeper.reached('initialized')
          },
          error: (result: unknown) => keeper.failed('init', fieldOf(result, 'errorCode'), wordsOf(result)),
        })
      } catch (error) {
        keeper.failed('init', null, error)
      }
    },
    join(given: SdkJoin): void {
      const running = sdk()
      if (!running || keeper.facts.progress !== 'initialized') return
      keeper.reached('joining')
      hasJoined = true
      try {
        running.join({
          ...given,
          // It is also called in the waiting room, so it proves nothing (docs/platform-notes/zoom.md#join-sequence).
          success() {},
          error: (result: unknown) => keeper.failed('callback', fieldOf(result, 'errorCode'), wordsOf(result)),
        })
      } catch (error) {
        keeper.failed('callback', null, error)
      }
    },
    capture: (what: 'start' | 'stop'): Promise<SdkAnswer> =>
      ask((callbacks) => sdk()?.mediaCapture({ record: what, ...callbacks })),
    requestCapture: (): Promise<SdkAnswer> =>
      ask((callbacks) => sdk()?.mediaCapturePermission({ operate: 'request', ...callbacks })),
    sendChat: (text: string): Promise<SdkAnswer> =>
      ask((callbacks) => sdk()?.sendChat({ message: text, userId: 0, ...callbacks })),
    leave(): boolean {
      const running = sdk()
      if (!running || !hasJoined) return false
      try {
        running.leaveMeeting({ confirm: false })
        return true
      } catch {
        // The page's own button remains.
        return false
      }
    },
  }
}

function listenToConsole(keeper: SdkFactsStore): void {
  wrapMethod(console, 'log', (native, _self, given) => {
    if (typeof given[0] === 'string' && ERROR_LINE.test(given[0])) keeper.failed('console', given[1], given[2])
    return native(...given)
  })
  wrapMethod(console, 'error', (native, _self, given) => {
    if (typeof given[0] === 'string' && NO_APP_KEY.test(given[0])) keeper.failed('silence', null, given[0])
    return native(...given)
  })
}

function refusal(result: unknown): SdkAnswer {
  return { ok: false, code: numberOf(fieldOf(result, 'errorCode')), text: wordsOf(result) }
}

/** The SDK has its words in one of two fields. */
function wordsOf(result: unknown): string {
  if (typeof result === 'string') return result
  if (result instanceof Error) return String(result)
  for (const name of ['errorMessage', 'result', 'reason']) {
    const words = fieldOf(result, name)
    if (typeof words === 'string' && words !== '') return words
  }
  return ''
}
