/** German wording, for a page that ignores the requested language. Source: language file of the published SDK. */
import type { PartialWords } from '../../shared/words.ts'
import type { ENGLISH } from './en.ts'

export const GERMAN: PartialWords<typeof ENGLISH> = {
  states: {
    bot_wall: [/^automatisierte bots dürfen nicht\b/, /^die verifizierung mit recaptcha\b/],
    login_wall: [/^melden sie sich an, um diesem (?:meeting|webinar) beizutreten/],
    invalid_link: [/^der link zu diesem (?:meeting|webinar) ist ungültig/],
    browser_off: [/\bwird durch ihre unternehmensrichtlinie blockiert/],
    removed_before: [/\bweil sie bereits vom host entfernt wurden/],
    removed: [/^sie wurden (?:vom host von diesem meeting )?entfernt/],
    locked: [/^der host hat dieses meeting gesperrt/, /^das meeting wurde vom host gesperrt/],
    full: [/\bhat die zulässige kapazität des hosts erreicht/, /^kapazität des meetings wurde erreicht/],
    elsewhere: [/^sie sind diesem meeting schon auf einem anderen gerät beigetreten/],
    ended: [/^das meeting wurde (?:vom host )?beendet/, /^dieses meeting wurde von ihrem administrator beendet/],
    free_limit: [/^ihr kostenloses meeting ist beendet/],
    join_failed: [/^zeitüberschreitung meeting-beitritt/],
    waiting_for_host: [
      /^bitte warten sie, bis der host das meeting beginnt/,
      /^darauf warten, dass der host das webinar startet/,
    ],
    waiting_room: [
      /\bder meeting-host lässt sie in kürze eintreten/,
      /^der host lässt sie bald hinein/,
      /^der host hat das meeting verlassen\. warten auf/,
    ],
    joining: [/^am (?:meeting|webinar) teilnehmen\.\.\./],
    wrong_passcode: [/^der meeting-kenncode ist falsch/, /^falscher kenncode/, /^falsches passwort/],
    reconnecting: [/^netzwerkfehler: /],
  },
  dialogs: {
    recording: [/^dieses meeting wird aufgezeichnet/],
    join_audio: [/^zum hören anderer dem audio beitreten/],
  },
  labels: {
    me: [/^ich$/],
    host: [/^moderator$/],
    leave: [/^verlassen$/],
    end: [/^(?:ende|beenden)$/],
    agree: [/^einverstanden$/],
    later: [/^später$/],
    stayMuted: [/^stummschaltung beibehalten$/],
    microphoneOn: [/^stummschalten$/],
    microphoneOff: [/^(?:lautschalten|stummschaltung aufheben)$/],
    cameraOn: [/^video (?:beenden|anhalten)$/],
    cameraOff: [/^(?:mein )?video starten$/],
    gotIt: [/^verstanden$/],
    joinAudio: [/^an audio (?:per computer )?teilnehmen$/],
    leaveMeeting: [/^meeting verlassen$/],
    endForAll: [/^das meeting für alle beenden$/],
    chat: [/^chat-?fenster (?:öffnen|schließen)$/],
    speakerView: [/^sprecheransicht$/],
    galleryView: [/^galerieansicht$/],
  },
}
