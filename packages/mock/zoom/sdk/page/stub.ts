/**
 * The stand-in for `window.ZoomMtg`: the names, argument forms and error surfaces of the package's Client View. A
 * function without an implementation records its call. Source: docs/platform-notes/zoom.md#sdk-initialization to
 * #recording-permission.
 */
import { box, h } from '../../../shared/page/dom.ts'
import { SdkEvents } from './events.ts'
import { OTHER_NAMES } from './names.ts'
import type { JoinAnswer } from './protocol.ts'
import { capture, requestProblem } from './recording.ts'
import { joinSpeed, SdkSession } from './session.ts'
import { type CallResult, claimsOf, joinProblem, refusal, success } from './validate.ts'

type Given = Record<string, unknown>
type Callback = (result?: unknown) => void

const INIT_MS = 300
/** Milliseconds. At most one call in this time (docs/platform-notes/zoom.md#sdk-call-limits). */
const JOIN_LIMIT_MS = 10_000
const CHAT_LIMIT_MS = 1000
const API_LIMIT = 'You have reached the API limit for this call.'

export function createStub(server: string): Given {
  const calls: { name: string; at: number }[] = []
  const events = new SdkEvents(() => document.getElementById('zmmtg-root'))
  let leaveUrl = ''
  let view: 'gallery' | 'speaker' = 'speaker'
  let isInitialized = false
  let session: SdkSession | null = null
  let lastJoinAt = Number.NEGATIVE_INFINITY
  let lastChatAt = Number.NEGATIVE_INFINITY

  const call = (callback: unknown, result?: unknown) => {
    if (typeof callback === 'function') (callback as Callback)(result)
  }
  const report = (given: Given, result: CallResult) => call(result.status ? given.success : given.error, result)

  /** The SDK ignores calls before it is ready. */
  const whenJoined = (method: string, given: Given, answer: (running: SdkSession) => CallResult | null) => {
    calls.push({ name: method, at: Date.now() })
    if (!isInitialized) return report(given, refusal(method, 2, 'Please init meeting first!'))
    if (!session) return report(given, refusal(method, 2, 'Please join meeting first!'))
    const result = answer(session)
    if (result) report(given, result)
  }

  function init(given: Given): void {
    if (typeof given.leaveUrl !== 'string' || given.leaveUrl.startsWith('#')) {
      console.warn('Init invalid parameter !!!')
      return
    }
    leaveUrl = given.leaveUrl
    view = given.defaultView === 'gallery' ? 'gallery' : 'speaker'
    setTimeout(() => {
      document.body.append(h('div', { id: 'zmmtg-root' }), h('div', { id: 'aria-notify-area' }))
      isInitialized = true
      call(given.success, success('init'))
    }, INIT_MS)
  }

  function join(given: Given) {
    calls.push({ name: 'join', at: Date.now() })
    if (!isInitialized) return report(given, refusal('join', 2, 'Meeting not initialized.'))
    const claims = claimsOf(given.signature)
    if (!claims.appKey && !claims.sdkKey) {
      console.error(
        'please check your signature and please add appKey https://developers.zoom.us/docs/meeting-sdk/auth/',
      )
      return
    }
    const problem = joinProblem(given)
    if (problem) return report(given, problem)
    if (Date.now() - lastJoinAt < JOIN_LIMIT_MS) return report(given, refusal('join', 3633, API_LIMIT))
    lastJoinAt = Date.now()
    void ask(given)
  }

  async function ask(given: Given): Promise<void> {
    const { success: _success, error: _error, ...parameters } = given
    const answered = await fetch(`${server}/sdk/join`, { method: 'POST', body: JSON.stringify(parameters) })
    const answer = (await answered.json()) as JoinAnswer
    events.fire('onJoinSpeed', joinSpeed(1))
    events.fire('onMeetingStatus', { meetingStatus: 1 })
    if (answer.is === 'error') {
      fail(given, answer)
      return
    }
    const root = document.getElementById('zmmtg-root')
    if (!root) return
    session = new SdkSession({
      // Without isolation there is no gallery (docs/platform-notes/zoom.md#cross-origin-isolation).
      welcome: { ...answer, settings: { ...answer.settings, view: globalThis.crossOriginIsolated ? view : 'speaker' } },
      root,
      events,
      // Without an argument, as the real one.
      onSuccess: () => (given.success as Callback)(),
      leaveUrl: () => leaveUrl,
    })
  }

  /**
   * Before the gateway the callback reports the error. After it a console line, a dialog and the status do, and the
   * callback does not.
   */
  function fail(given: Given, answer: Extract<JoinAnswer, { is: 'error' }>): void {
    const { code, text, phase, inStatus } = answer
    if (phase === 'web') {
      report(given, refusal('join', code, text))
      events.fire('onMeetingStatus', { meetingStatus: 3, detail: {} })
      return
    }
    console.log('join error code:', code, text)
    events.fire('onMeetingStatus', {
      meetingStatus: 3,
      ...(inStatus ? { errorCode: code, errorMessage: text } : { detail: { errorCode: code } }),
    })
    document
      .getElementById('zmmtg-root')
      ?.replaceChildren(
        box(
          'ReactModal__Content',
          h(
            'div',
            { class: 'zm-modal zm-modal-legacy dialog-reconnect-container', 'aria-label': 'Join error' },
            box('zm-modal-body-title', 'Join error'),
            box('zm-modal-body-content', text),
          ),
        ),
      )
  }

  const played: Given = {
    // The language's file is local, so there is no wait.
    i18n: {
      load: async () => {},
      reload: () => {},
      onLoad: (callback: unknown) => call(callback, 'success'),
      get: (key: string) => key,
      getAll: () => ({}),
      getCurrentLang: () => 'en-US',
      getSupportLanguage: () => ['en-US'],
      setSupportLanguage: () => {},
    },
    init,
    join,
    inMeetingServiceListener: (name: string, callback: (data: unknown) => void) => events.listen(name, callback),
    getAttendeeslist: (given: Given) =>
      whenJoined('getAttendeeslist', given, (running) => {
        if (running.isIn && !running.isOnHold) return success('getAttendeeslist', { attendeesList: running.attendees })
        // In the waiting room: status true all the same (docs/platform-notes/zoom.md#join-sequence).
        call(given.success, {
          ...success('getAttendeeslist', 'You are be put in waiting room'),
          errorCode: 1,
        })
        return null
      }),
    getCurrentUser: (given: Given) =>
      whenJoined('getCurrentUser', given, (running) => {
        const own = running.attendees.find(({ self }) => self)
        return own ? success('getCurrentUser', { currentUser: { ...own, isHold: running.isOnHold } }) : null
      }),
    sendChat: (given: Given) =>
      whenJoined('sendChat', given, (running) => {
        if (Date.now() - lastChatAt < CHAT_LIMIT_MS) return refusal('sendChat', 3633, API_LIMIT)
        const text = String(given.message ?? '')
        if (text.trim() === '') return refusal('sendChat', 1, 'Message cant be empty')
        if (!running.isChatOn) return refusal('sendChat', 1, "Can't send chat because Restrict chat")
        lastChatAt = Date.now()
        running.sendChat(text)
        return success('sendChat')
      }),
    mediaCapture: (given: Given) =>
      whenJoined('mediaCapture', given, (running) => {
        const outcome = capture(given.record, running.recordingView)
        if ('error' in outcome) return refusal('mediaCapture', 1, outcome.error)
        running.capture(String(given.record), outcome.status)
        return success('mediaCapture')
      }),
    mediaCapturePermission: (given: Given) =>
      whenJoined('mediaCapturePermission', given, (running) => {
        const problem = requestProblem(given.operate, running.recordingView)
        if (problem !== null) return refusal('mediaCapturePermission', 1, problem)
        running.askForRight()
        return success('mediaCapturePermission')
      }),
    leaveMeeting: (given: Given = {}) =>
      whenJoined('leaveMeeting', given, (running) => {
        running.leave()
        return success('leaveMeeting')
      }),
    /** For tests: the recorded calls. */
    calls: () => calls,
  }
  const others = OTHER_NAMES.map((name) => [name, () => void calls.push({ name, at: Date.now() })])
  return { ...Object.fromEntries(others), ...played }
}
