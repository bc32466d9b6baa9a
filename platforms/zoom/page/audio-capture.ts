import { createPageAudioCapture, type PageAudioCaptureParts } from '../../shared/page/audio/page-audio-capture.ts'
import { userOfTrack } from './sound.ts'

/** `participantOf` names the person behind a stream's number, or null while the person is unknown. */
export function captureZoomAudio(
  { tap, config }: Pick<PageAudioCaptureParts, 'tap' | 'config'>,
  participantOf: (userId: number) => string | null,
) {
  return createPageAudioCapture({
    tap,
    config,
    // The other tracks are copies of the mix, which the page uses to cancel its own echo.
    isMeeting: (tapped) => tapped !== null && userOfTrack(tapped) !== null,
    voices: {
      ownerOf: (_receiver, tapped) => String(userOfTrack(tapped!)),
      participantsOf(owner) {
        const id = participantOf(Number(owner))
        return id === null ? [] : [id]
      },
      certainAfter: 2,
    },
  })
}
