/**
 * The page's wording in the languages of which texts were recorded (docs/platform-notes/google-meet.md#languages), with straight or
 * typographic marks by seed.
 */

import { translated } from '../../shared/page/dom.ts'

/** Unlisted texts stay English, as a half-translated page would. */
const OTHER_LANGUAGES: Record<string, Record<string, string>> = {
  de: {
    'Ask to join': 'Teilnahme erbitten',
    'Join now': 'Jetzt teilnehmen',
    'Join anyway': 'Trotzdem teilnehmen',
    "What's your name?": 'Wie heißen Sie?',
    'Your name': 'Ihr Name',
    'Ready to join?': 'Bereit für die Teilnahme?',
    'Turn off microphone': 'Mikrofon ausschalten',
    'Turn on microphone': 'Mikrofon einschalten',
    'Turn off camera': 'Kamera ausschalten',
    'Turn on camera': 'Kamera einschalten',
    'Continue without microphone and camera': 'Ohne Mikrofon und Kamera fortfahren',
    'Other ways to join': 'Weitere Möglichkeiten zur Teilnahme',
    'More options': 'Weitere Optionen',
    'Leave call': 'Anruf verlassen',
    'Call controls': 'Anrufsteuerung',
    People: 'Personen',
    'Asking to be let in...': 'Teilnahmeanfrage wird gesendet...',
    "You'll join the call when someone lets you in": 'Bitte warten Sie, bis Sie vom Organisator eingelassen werden',
    'No one responded to your request to join the call': 'Niemand hat auf Ihre Teilnahmeanfrage geantwortet',
    'Return to home screen': 'Zum Startbildschirm',
    'Getting ready...': 'Wird vorbereitet...',
    'Turn on captions': 'Untertitel aktivieren',
    'Turn off captions': 'Untertitel deaktivieren',
    'Chat with everyone': 'Mit allen chatten',
    'Send a message': 'Nachricht senden',
    'Share screen': 'Bildschirm teilen',
    'Backgrounds and effects': 'Hintergründe und Effekte',
    'You left the meeting': 'Sie haben die Videokonferenz verlassen',
  },
  hu: {
    'Ask to join': 'Kérvényezés a csatlakozásra',
    "What's your name?": 'Mi a neved?',
    'Your name': 'A neved',
    'Turn off microphone': 'Mikrofon kikapcsolása',
    'Turn on microphone': 'Mikrofon bekapcsolása',
    'Turn off camera': 'Kamera kikapcsolása',
    'Turn on camera': 'Kamera bekapcsolása',
    'More options': 'További beállítások',
    'Leave call': 'Hívás elhagyása',
    'Call controls': 'Hívásvezérlők',
    'Asking to be let in...': 'Csatlakozás kérvényezése...',
    "You'll join the call when someone lets you in": 'Akkor csatlakozol, amikor valaki beenged',
  },
  ja: {
    'Ask to join': '参加をリクエスト',
    'Join now': '今すぐ参加',
    "What's your name?": 'お名前を入力してください',
    'Your name': '名前',
    'Turn off microphone': 'マイクをオフにする',
    'Turn on microphone': 'マイクをオンにする',
    'Turn off camera': 'カメラをオフにする',
    'Turn on camera': 'カメラをオンにする',
    'Leave call': '通話から退出',
    'Call controls': '通話コントロール',
    'Asking to be let in...': '参加をリクエストしています...',
    "You'll join the call when someone lets you in": '誰かが承認すると通話に参加できます',
  },
}

export type Words = (english: string, ...values: string[]) => string

/** `{0}` in a text stands for the first value; values (names) are never translated or changed. */
export function wordsOf(lang: string, typographic: boolean): Words {
  const language = OTHER_LANGUAGES[lang.split('-')[0] ?? 'en'] ?? {}
  const tidy = (text: string) => (typographic ? text.replaceAll("'", '’').replaceAll('...', '…') : text)
  return (english, ...values) => translated(language, english, values, tidy)
}
