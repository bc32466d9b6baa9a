/** French wording, for a page that ignores the requested language. Source: language file of the published SDK. */
import type { PartialWords } from '../../shared/words.ts'
import type { ENGLISH } from './en.ts'

export const FRENCH: PartialWords<typeof ENGLISH> = {
  states: {
    bot_wall: [/^les bots automatisés ne sont pas autorisés/, /^vous avez échoué à la vérification recaptcha/],
    login_wall: [/^connectez-vous pour participer à/],
    invalid_link: [/^ce lien de réunion n'est pas valide/],
    browser_off: [/\best bloqué par votre politique d'entreprise/],
    removed_before: [/\bvous avez été précédemment supprimé par l'animateur/],
    removed: [/^vous avez été exclu/],
    locked: [/^cette réunion a été verrouillée/, /^la réunion a été verrouillée/],
    full: [/\ba atteint (?:la|sa) capacité (?:autorisée|maximale)/],
    elsewhere: [/^vous avez déjà participé à cette réunion sur un autre appareil/],
    ended: [/^(?:l'hôte|votre administrateur) a mis fin à cette réunion/, /^la réunion a été terminée/],
    free_limit: [/^votre réunion gratuite est terminée/],
    join_failed: [/^délai de participation à la réunion/, /^le délai pour participer/],
    waiting_for_host: [/^en attente de lancement de la réunion par l'hôte/, /^en attente que l'hôte démarre/],
    waiting_room: [
      /\bl'hôte (?:de la réunion )?vous laissera bientôt entrer/,
      /^l'hôte a quitté la réunion\. en attente/,
    ],
    joining: [/^en train de participer (?:à la réunion|au webinaire)/],
    wrong_passcode: [/^le code secret de la réunion est incorrect/, /^(?:code secret|mot de passe) incorrect/],
    reconnecting: [/^erreur réseau : /],
  },
  dialogs: {
    recording: [/^cette réunion est en cours d'enregistrement/],
    join_audio: [/^pour entendre les autres, veuillez participer à l'audio/],
  },
  labels: {
    me: [/^moi$/],
    host: [/^animateur$/],
    leave: [/^quitter$/],
    end: [/^(?:terminer|fin)$/],
    agree: [/^d'accord$/],
    later: [/^plus tard$/],
    stayMuted: [/^(?:rester en sourdine|garder le son désactivé)$/],
    microphoneOn: [/^(?:désactiver le son|couper le micro)$/],
    microphoneOff: [/^réactiver le (?:son|micro)$/],
    cameraOn: [/^arrêter la vidéo$/],
    cameraOff: [/^(?:démarrer|commencer) (?:la|ma) vidéo$/],
    everyone: [/\btout le monde\b/],
    gotIt: [/^j'ai compris$/],
    joinAudio: [/^participer à l'audio(?: par ordinateur)?$/],
    leaveMeeting: [/^quittez la réunion$/],
    endForAll: [/^mettre fin à la réunion pour tous$/],
    chat: [/^(?:ouvrir|fermer) le panneau de discussion$/],
    speakerView: [/^vue intervenant$/],
    galleryView: [/^vue galerie$/],
  },
}
