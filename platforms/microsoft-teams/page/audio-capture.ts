import { createPageAudioCapture, type PageAudioCaptureParts } from '../../shared/page/audio/page-audio-capture.ts'

/** Teams sends one mix of all participants, so there is no audio of a single one. A reconnect brings another track. */
export function captureTeamsAudio({ tap, config }: Pick<PageAudioCaptureParts, 'tap' | 'config'>) {
  return createPageAudioCapture({
    tap,
    config,
    isMeeting: (tapped) => tapped?.streams.some(({ id }) => id.includes('mainAudio')) ?? false,
  })
}
