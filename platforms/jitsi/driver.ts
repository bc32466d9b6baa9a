import type { OpenDriver } from '../shared/driver-options.ts'
import { type ChatSteps, usualChatSteps } from '../shared/in-call/chat-sender.ts'
import { DeviceToggles } from '../shared/join/device-toggles.ts'
import { JoinForm } from '../shared/join/join-form.ts'
import { loadMeeting } from '../shared/join/loading.ts'
import { languageNote } from '../shared/join/refusal.ts'
import { DialogResponder } from '../shared/page-access/dialogs.ts'
import { type MeetingPage, meetingScript } from '../shared/page-access/meeting-page.ts'
import { devicesAtStart, scriptConfig } from '../shared/page-access/script-config.ts'
import { openMeetingPage, PlatformDriver } from '../shared/platform-driver.ts'
import { labelSources } from '../shared/words.ts'
import { addressOf } from './address.ts'
import { answerOf, mayBeAnswered } from './dialogs.ts'
import { InCallTasks } from './in-call-tasks.ts'
import { JoinFlow } from './join-flow.ts'
import { leaveSteps } from './leaving.ts'
import type { ElementName, PageConfig, PageSnapshot } from './page/types.ts'
import { jitsiClassifier } from './page-classifier.ts'
import type { PageStateKind } from './page-state.ts'
import { SELECTORS, WORDS } from './words.ts'

/** A move to another room of the same meeting leaves one conference and joins the next. */
const LEFT_LOOKS = 6
/** The page itself takes a minute to find out that its server is lost, and half a minute more to reload itself. */
const RECONNECT_MS = 120_000

export const openJitsi: OpenDriver = async (target, environment, signal, options) => {
  const { botName, recordingMode } = options
  const wanted = devicesAtStart(options)
  const address = addressOf(target, { recordingMode, ...wanted })
  const script = meetingScript<PageConfig>('page/jitsi', {
    ...scriptConfig(options, environment),
    meetingHosts: [new URL(address.url).hostname],
    selectors: SELECTORS,
    labels: labelSources(WORDS.labels),
  })
  const opening = { script, mediaOrigins: [address.origin] }
  const patient = { ...options, waits: { reconnectMs: RECONNECT_MS, ...options.waits } }
  const page = await openMeetingPage<PageSnapshot, ElementName>(environment, signal, patient, opening)
  const devices = new DeviceToggles(page, wanted)
  const dialogs = new DialogResponder(page, (dialog) => answerOf(dialog, { consent: options.recordingConsent }))
  const password = target.passcode ?? null
  // The page may write its token anywhere, not only into its address.
  const secrets = [password, new URL(target.url).searchParams.get('jwt')].flatMap((secret) => secret || [])
  const newForm = () => new JoinForm(page, devices, botName)
  const form = newForm()
  const joinFlow = new JoinFlow({ page, form, password })
  const inCallTasks = new InCallTasks(page, address.url, () => new JoinFlow({ page, form: newForm(), password }))
  return new PlatformDriver<PageSnapshot, PageStateKind>({
    platform: 'jitsi',
    page,
    options,
    classifier: jitsiClassifier(address, password !== null, page.waits),
    devices,
    answerOpenDialog: async (snapshot) => (mayBeAnswered(snapshot) ? dialogs.answerOpenDialog(snapshot) : null),
    entrance: {
      open: (aborted) => loadMeeting(page, address.url, aborted, 'The Jitsi server'),
      ask: (snapshot, state) => joinFlow.ask(snapshot, state),
      wait: (snapshot) => joinFlow.wait(snapshot),
      hasAsked: () => form.hasAsked,
      timeOut: (snapshot) => form.timeOut(snapshot),
      pageNote: languageNote,
    },
    chat: chatSteps(page),
    sharing: { forbidden: WORDS.labels.sharingForbidden },
    leaving: leaveSteps(page, address.host),
    watching: {
      endLooks: { left: LEFT_LOOKS },
      afterPoll: (snapshot, state, isNewDocument) => inCallTasks.afterPoll(snapshot, state, isNewDocument),
    },
    hide: (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '[redacted]'), text),
  })
}

/** The button that opens the panel and the one that closes it have two names, and newer panels lie over the first. */
function chatSteps(page: MeetingPage<PageSnapshot, ElementName>): ChatSteps {
  return {
    ...usualChatSteps(page),
    async close() {
      await page.wakePointer()
      await page.press('closeChat')
    },
  }
}
