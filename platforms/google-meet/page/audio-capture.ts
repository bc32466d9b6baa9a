import { createCurrentSource } from '../../shared/page/audio/current-source.ts'
import { createPageAudioCapture, type PageAudioCaptureParts } from '../../shared/page/audio/page-audio-capture.ts'
import type { Roster } from './roster.ts'

export function captureMeetAudio(
  { tap, config }: Pick<PageAudioCaptureParts, 'tap' | 'config'>,
  roster: Pick<Roster, 'ownersOfSource'>,
) {
  // A stream carries one of the loudest participants, and its packets name the source.
  const currentSource = createCurrentSource()
  return createPageAudioCapture({
    tap,
    config,
    voices: {
      ownerOf: (receiver) => currentSource(receiver)?.toString() ?? null,
      // The people of one room share a source, which does not say who of them speaks.
      participantsOf: (source) => roster.ownersOfSource(Number(source)),
      certainAfter: 2,
    },
  })
}
