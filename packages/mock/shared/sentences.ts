/** Sentences that people of the mock meetings speak where nothing measures their voices as tones. */
import { join } from 'node:path'
import { packageRoot } from '../../core/process/page-scripts.ts'
import type { MockMeeting } from '../types.ts'

/** Spoken by the voices of flite, and stored: the machine of a demo does not need it. The build copies them. */
const FOLDER = join(packageRoot, 'dist/bundles/mock/sentences')

export type Sentence = 'ann-welcome' | 'bob-numbers' | 'cleo-plan' | 'bob-picture' | 'dan-leaves' | 'ann-end'

/** Resolves when it is over or was stopped. Rejects if it cannot be read. */
export function speak(meeting: Pick<MockMeeting, 'playVoice'>, id: string, sentence: Sentence): Promise<void> {
  return meeting.playVoice(id, join(FOLDER, `${sentence}.ogg`))
}
