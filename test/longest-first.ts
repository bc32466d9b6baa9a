/**
 * The order of the files of a lane: those that take longest begin first, so that no lane ends with one long file beside
 * idle workers. Vitest itself remembers times on one machine only, and in a fresh clone begins with the largest files.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Longest first; of files that are not named here the order does not matter. */
export const SLOW_FILES = [
  'test/smoke/service.smoke.test.ts',
  'test/smoke/recording.smoke.test.ts',
  'test/end-to-end/deaths.system.test.ts',
  'test/control-plane/calendar.system.test.ts',
  'test/end-to-end/platforms.system.test.ts',
  'test/recorder/recorder-failures.system.test.ts',
  'test/control-plane/end-to-end.system.test.ts',
  'test/end-to-end/recording.system.test.ts',
  'test/end-to-end/streaming.system.test.ts',
  'test/end-to-end/commands.system.test.ts',
  'test/control-plane/launching/resume.system.test.ts',
  'test/end-to-end/storage-outage.system.test.ts',
  'test/end-to-end/stopping.system.test.ts',
  'test/control-plane/checker/checker.system.test.ts',
  'test/recorder/recorder.system.test.ts',
  'test/control-plane/credentials.system.test.ts',
  'test/end-to-end/streaming.measured.test.ts',
  'test/control-plane/calendars/sequences.db.test.ts',
  'test/control-plane/launching/reconcile/reconciler.db.test.ts',
  'test/control-plane/webhooks/dispatcher.db.test.ts',
  'test/control-plane/launching/resume.db.test.ts',
  'test/control-plane/store/lists.db.test.ts',
  'test/control-plane/control-link/many.db.test.ts',
  'test/control-plane/api/dashboard/page.browser.test.ts',
  ...['google-meet', 'zoom', 'zoom-sdk', 'jitsi', 'microsoft-teams'].map(
    (name) => `test/platforms/conformance/${name}.browser.test.ts`,
  ),
  'test/platforms/zoom/join-flow.browser.test.ts',
  'test/platforms/microsoft-teams/people.browser.test.ts',
  'test/platforms/shared/page/picture/composite.browser.test.ts',
  'test/platforms/zoom/call.browser.test.ts',
  'test/platforms/access.browser.test.ts',
  'test/platforms/zoom/media.browser.test.ts',
  'test/src/run/check.browser.test.ts',
  'test/platforms/jitsi/in-meeting.browser.test.ts',
  'test/platforms/browser/browser.browser.test.ts',
  'test/diarization/google-meet.measured.test.ts',
  'test/recorder/recorder.measured.test.ts',
  'test/recorder/stand-by.measured.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = SLOW_FILES.findIndex((file) => moduleId.endsWith(`/${file}`))
      return found === -1 ? SLOW_FILES.length : found
    }
    const lanes = Map.groupBy(await super.sort(files), ({ project }) => project.name)
    return [...lanes.values()].flatMap((lane) => lane.sort((one, other) => place(one) - place(other)))
  }
}
