/**
 * The page's wording: in the languages of which texts were recorded (docs/platform-notes/microsoft-teams.md#languages),
 * with straight or typographic marks by seed.
 */

import { translated } from '../../shared/page/dom.ts'

/** Unlisted texts stay English: they were never recorded in that language. */
const OTHER_LANGUAGES: Record<string, Record<string, string>> = {
  de: {
    'Continue on this browser': 'In diesem Browser fortfahren',
    'Join now': 'Jetzt teilnehmen',
    'Continue without audio or video': 'Ohne Audio oder Video fortfahren',
    'Computer audio': 'Computeraudio',
    Leave: 'Verlassen',
    "You've been removed from this meeting": 'Sie wurden entfernt',
    'The meeting has ended': 'Die Besprechung wurde beendet',
    Rejoin: 'Erneut beitreten',
    'Waiting for others to join': 'Warten auf andere',
    Captions: 'Untertitel',
    'Show live captions': 'Liveuntertitel aktivieren',
  },
  fr: {
    'Continue on this browser': 'Continuer sur ce navigateur',
    'Join meeting from this browser': 'Rejoindre la réunion à partir de ce navigateur',
    'Type your name': 'Tapez votre nom',
    'Join now': 'Rejoindre maintenant',
    'Continue without audio or video': 'Continuer sans audio ni vidéo',
    'Computer audio': "Audio de l'ordinateur",
    'Someone will let you in shortly': "Quelqu'un vous laissera bientôt entrer",
    'Hi, {0}. Someone will let you in shortly.': "{0}, quelqu'un vous laissera bientôt entrer",
    'Someone in the meeting should let you in soon': "Quelqu'un vous laissera bientôt entrer",
    "We've let people in the meeting know you're waiting": "Quelqu'un vous laissera bientôt entrer",
    "You're in the lobby": "Vous êtes dans la salle d'attente",
    'Sorry, but you were denied access to the meeting.': 'Désolé, mais vous avez été refusé…',
    Leave: 'Quitter',
    "You've been removed from this meeting": 'Vous avez été supprimé de cette réunion',
    'The meeting has ended': 'Réunion terminée',
    'Type a message': 'Tapez un message',
    'Microphone muted': 'Micro désactivé',
    Organizer: 'Organisateur',
  },
}

export type Words = (english: string, ...values: string[]) => string

/** `{0}` in a text stands for the first value; values (names) are never translated or changed. */
export function wordsOf(lang: string, typographic: boolean): Words {
  const language = OTHER_LANGUAGES[lang.split('-')[0] ?? 'en'] ?? {}
  const tidy = (text: string) => (typographic ? text.replaceAll("'", '’') : text)
  return (english, ...values) => translated(language, english, values, tidy)
}
