/** Reads pages of a mock meeting as a driver reads them, without joining: the cases of a test file share one page. */
import { afterAll } from 'vitest'
import type { BotError } from '../../packages/core/errors.ts'
import type { MeetingEnd } from '../../packages/core/meeting/meeting.ts'
import type { CaptureEnvironment } from '../../packages/core/ports.ts'
import type { MockMeeting, MockMeetingOptions } from '../../packages/mock/types.ts'
import type { DriverOptions } from '../../platforms/shared/driver-options.ts'
import type { CommonSnapshot } from '../../platforms/shared/page/types.ts'
import type { MeetingPage, PollResult } from '../../platforms/shared/page-access/meeting-page.ts'
import type { JoinStep, PageClassifier, PageState } from '../../platforms/shared/page-state.ts'
import { HEADLESS_SHELL } from '../headless-shell.ts'
import { SMALL_PICTURES } from '../packages/mock/small-pictures.ts'
import { SILENT_STAGE } from './conformance/ground.ts'
import { guestOptions } from './driver-options.ts'
import { sharedChromium } from './shared-chromium.ts'
import type { WorkerMocks } from './worker-mocks.ts'

/** Divides the mock's own times. */
const SPEED = 20
const POLL_EVERY_MS = 50
const DEADLINE_MS = 60_000
/** The state in which the page of every mock takes a request to join. */
const GREEN_ROOM = 'greenRoom'

interface ReadServer<Meeting> {
  readonly hosts: readonly string[]
  readonly address: string
  open(scenario: string, options?: MockMeetingOptions): Meeting
  forget(meeting: MockMeeting): Promise<void>
}

export interface ReaderSetting<Snapshot extends CommonSnapshot, Kind extends string> {
  openPage(environment: CaptureEnvironment, signal: AbortSignal, options: DriverOptions): Promise<MeetingPage<Snapshot>>
  classifier: Pick<PageClassifier<Snapshot, Kind>, 'stateOf' | 'refusalOf' | 'endOf'>
  /** The address that a bot goes to. */
  addressOf(meeting: MockMeeting): string
}

export interface PageReader<Meeting, Snapshot extends CommonSnapshot, Kind extends string> {
  page(): Promise<MeetingPage<Snapshot>>
  /** Loads the page of a new meeting. */
  open(scenario: string, options?: MockMeetingOptions): Promise<Meeting>
  /** Loads the page of a new meeting and lets it ask to join. */
  ask(scenario: string, options?: MockMeetingOptions): Promise<Meeting>
  /** Resolves with the first poll result that fits; rejects after a minute with the last snapshot of the page. */
  pollUntil(what: string, fits: (result: PollResult<Snapshot>) => boolean): Promise<PollResult<Snapshot>>
  /** Resolves once the page is in a state of this kind. */
  state(kind: Kind): Promise<PageState<Kind>>
  /** Resolves with the first refusal that a driver would find in the page. */
  refusal(phase: JoinStep): Promise<BotError>
  /** Resolves with the first end that a driver in the meeting would find in the page. */
  end(): Promise<MeetingEnd>
  /** The same, with the words of the page. */
  endWithWords(): Promise<{ end: MeetingEnd; text: string }>
}

/**
 * To be called once in a `describe`: the page is left when its tests are over.
 * @param ground the mocks of the file's other tests
 */
export function pageReader<
  Meeting extends MockMeeting & { askToJoin(botName: string): void },
  Snapshot extends CommonSnapshot,
  Kind extends string,
>(
  ground: { mock(): ReadServer<Meeting>; mocks(): WorkerMocks },
  { openPage, classifier, addressOf }: ReaderSetting<Snapshot, Kind>,
): PageReader<Meeting, Snapshot, Kind> {
  let opening: Promise<MeetingPage<Snapshot>> | null = null
  let shown: Meeting | null = null
  afterAll(async () => {
    await (await opening)?.browser.close()
    if (shown) await ground.mock().forget(shown)
  })

  const page = () => {
    opening ??= openPage(SILENT_STAGE, new AbortController().signal, {
      ...guestOptions(ground.mock()),
      hostMap: ground.mocks().hostMap,
      chromium: HEADLESS_SHELL,
      openBrowser: sharedChromium.open,
    })
    return opening
  }

  async function open(scenario: string, options: MockMeetingOptions = {}): Promise<Meeting> {
    const meeting = ground.mock().open(scenario, { seed: 1, speed: SPEED, media: SMALL_PICTURES, ...options })
    const { browser } = await page()
    await browser.page.goto(addressOf(meeting), { waitUntil: 'domcontentloaded' })
    if (shown) await ground.mock().forget(shown)
    shown = meeting
    return meeting
  }

  async function pollUntil(
    what: string,
    fits: (result: PollResult<Snapshot>) => boolean,
  ): Promise<PollResult<Snapshot>> {
    const read = await page()
    const deadline = Date.now() + DEADLINE_MS
    while (Date.now() < deadline) {
      const seen = await read.poll()
      if (seen && fits(seen)) return seen
      await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS))
    }
    const last = read.lastSnapshot
    throw new Error(`The page never showed ${what}; its last signs: ${JSON.stringify(last)}`)
  }

  async function endWithWords() {
    const endIn = ({ snapshot }: PollResult<Snapshot>) => classifier.endOf(classifier.stateOf(snapshot), snapshot)
    const seen = await pollUntil('an end', (result) => endIn(result) !== null)
    return { end: endIn(seen)!, text: classifier.stateOf(seen.snapshot).text }
  }

  return {
    page,
    open,
    pollUntil,

    async ask(scenario, options) {
      const meeting = await open(scenario, options)
      await meeting.whenState(GREEN_ROOM, DEADLINE_MS)
      meeting.askToJoin('Notes for Ann')
      return meeting
    },

    async state(kind) {
      const { snapshot } = await pollUntil(kind, ({ snapshot }) => classifier.stateOf(snapshot).kind === kind)
      return classifier.stateOf(snapshot)
    },

    async refusal(phase) {
      const seen = new Set<Kind>()
      let refusal: BotError | null = null
      await pollUntil('a refusal', ({ snapshot }) => {
        const state = classifier.stateOf(snapshot)
        refusal = classifier.refusalOf(state, phase, seen)
        seen.add(state.kind)
        return refusal !== null
      })
      return refusal as unknown as BotError
    },

    endWithWords,
    end: async () => (await endWithWords()).end,
  }
}
