/** The page's words in another language, for the test that a driver pins English. English stands for the rest. */
import { translated } from '../../shared/page/dom.ts'
import { LABEL, TEXT } from './table.ts'

const GERMAN: Record<string, string> = {
  [TEXT.previewTitle]: 'Meeting-Informationen eingeben',
  [TEXT.passcode]: 'Meeting-Kenncode',
  [TEXT.name]: 'Ihr Name',
  [TEXT.remember]: 'Meinen Namen für zukünftige Meetings merken',
  [TEXT.join]: 'Beitreten',
  [TEXT.joining]: 'Meeting wird beigetreten...',
  [TEXT.wrongPasscode]: 'Falsches Passwort',
  [TEXT.hostNotStarted]: 'Warten auf den Start des Meetings durch den Host.',
  [TEXT.waitingRoom]: 'Der Host ist beigetreten. Wir haben ihn wissen lassen, dass Sie hier sind',
  [TEXT.waitingRoomPlease]: 'Bitte warten Sie, der Meeting-Host lässt Sie in Kürze eintreten.',
  [TEXT.leave]: 'Verlassen',
  [TEXT.leaveMeeting]: 'Meeting verlassen',
  [TEXT.participants]: 'Teilnehmer',
  [TEXT.participantsTitle]: 'Teilnehmer ({0})',
  [TEXT.joinAudio]: 'Audio beitreten',
  [TEXT.mute]: 'Stummschalten',
  [TEXT.unmute]: 'Stummschaltung aufheben',
  [TEXT.startVideo]: 'Video starten',
  [TEXT.stopVideo]: 'Video beenden',
  [TEXT.view]: 'Ansicht',
  [TEXT.speakerView]: 'Sprecheransicht',
  [TEXT.galleryView]: 'Galerieansicht',
  [TEXT.everyone]: 'Alle',
  [TEXT.chatPlaceholder]: 'Nachricht hier eingeben ...',
  [TEXT.me]: '(ich)',
  [LABEL.microphoneOff]: 'mein Mikrofon stummschalten',
  [LABEL.microphoneOn]: 'Stummschaltung meines Mikrofons aufheben',
  [LABEL.chatOpen]: 'Chat-Bereich öffnen',
  [LABEL.chatClose]: 'Chat-Bereich schließen',
  [LABEL.send]: 'senden',
  'This meeting has been ended by host': 'Dieses Meeting wurde vom Host beendet',
  'You have been removed from this meeting by the host.': 'Sie wurden vom Host aus diesem Meeting entfernt.',
}

export type Words = (english: string, ...values: (string | number)[]) => string

/** `{0}` in a text stands for the first value; values (names) are never translated. */
export function wordsOf(lang: string): Words {
  const language = lang.startsWith('de') ? GERMAN : {}
  return (english, ...values) => translated(language, english, values)
}
