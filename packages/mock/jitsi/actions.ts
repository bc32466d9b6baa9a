/** The names that `MockMeeting.show` accepts, and their implementation. */
import { type JitsiVisit, REASONS } from './visit.ts'

export const SHOWABLE: Record<string, (visit: JitsiVisit) => void> = {
  consent: (visit) => visit.askConsent(),
  'server-lost': (visit) => visit.loseServer('network'),
  'server-error': (visit) => visit.loseServer('error'),
  'breakout-rooms': (visit) => visit.send({ do: 'rooms', names: ['Ann Host', 'Bob Berg'] }),
  'breakout-rooms-closed': (visit) => visit.send({ do: 'rooms', names: [] }),
  'time-limit': (visit) => visit.finish('hostEnded', REASONS.timeLimit),
  'kicked-by-system': (visit) => visit.finish('removed', REASONS.kickedBySystem),
  'own-reason': (visit) => visit.finish('hostEnded', REASONS.own),
  moderation: (visit) => visit.send({ do: 'notice', notice: { title: 'notify.moderationInEffectTitle' } }),
  'noisy-microphone': (visit) => visit.send({ do: 'notice', notice: { title: 'toolbar.noisyAudioInputTitle' } }),
  tip: (visit) => visit.send({ do: 'dialog', dialog: 'tip' }),
}
