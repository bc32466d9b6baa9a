import type { OpenDriver } from '../shared/driver-options.ts'
import { usualChatSteps } from '../shared/in-call/chat-sender.ts'
import { DeviceToggles } from '../shared/join/device-toggles.ts'
import { JoinForm } from '../shared/join/join-form.ts'
import { loadMeeting } from '../shared/join/loading.ts'
import { languageNote } from '../shared/join/refusal.ts'
import { DialogResponder } from '../shared/page-access/dialogs.ts'
import { devicesAtStart } from '../shared/page-access/script-config.ts'
import { openMeetingPage, PlatformDriver } from '../shared/platform-driver.ts'
import { answerOf } from './dialogs.ts'
import { JoinFlow } from './join-flow.ts'
import { leaveSteps } from './leaving.ts'
import type { ElementName, PageSnapshot } from './page/types.ts'
import { meetClassifier } from './page-classifier.ts'
import { type MeetPage, meetScript } from './page-script.ts'
import type { PageStateKind } from './page-state.ts'
import { WORDS } from './words.ts'

const ORIGIN = 'https://meet.google.com'
/** A menu opens a moment after the click. Milliseconds. */
const CAPTIONS_MENU_MS = 1500
const CAPTIONS_POLL_MS = 150

export const openGoogleMeet: OpenDriver = async (target, environment, signal, options) => {
  const opening = { script: meetScript(options, environment), mediaOrigins: [ORIGIN] }
  const page = await openMeetingPage<PageSnapshot, ElementName>(environment, signal, options, opening)
  const wanted = devicesAtStart(options)
  const devices = new DeviceToggles(page, wanted)
  const policy = { consent: options.recordingConsent, wantsCamera: wanted.camera === 'on' }
  const dialogs = new DialogResponder(page, (dialog) => answerOf(dialog, policy))
  const form = new JoinForm(page, devices, options.botName)
  const joinFlow = new JoinFlow(page, form, options.expectsAccount ?? false)
  return new PlatformDriver<PageSnapshot, PageStateKind>({
    platform: 'meet',
    page,
    options,
    classifier: meetClassifier(page.waits),
    devices,
    answerOpenDialog: (snapshot) => dialogs.answerOpenDialog(snapshot),
    entrance: {
      open: (aborted) => loadMeeting(page, target.url, aborted, 'Google Meet'),
      ask: (snapshot) => joinFlow.ask(snapshot),
      hasAsked: () => form.hasAsked,
      timeOut: (snapshot) => form.timeOut(snapshot),
      pageNote: languageNote,
    },
    chat: usualChatSteps(page),
    sharing: { taken: WORDS.dialogs.take_over },
    captions: { turnOn: () => turnOnCaptions(page) },
    leaving: leaveSteps(page),
  })
}

/** A button, or a menu behind it. */
async function turnOnCaptions(page: MeetPage): Promise<boolean> {
  await page.wakePointer()
  if (!(await page.press('captions'))) return false
  const deadline = page.clock.now() + CAPTIONS_MENU_MS
  while (page.clock.now() < deadline) {
    if (await page.press('captionsItem')) return true
    await page.clock.sleep(CAPTIONS_POLL_MS)
  }
  // Without a menu the button itself turned captions on; the next poll shows it.
  return true
}
