/** The page's texts by the names that the page itself has for them (docs/platform-notes/jitsi.md#wording). English and German. */

const ENGLISH = {
  'chat.disabled': 'Sending chat messages is disabled.',
  'chat.messagebox': 'Type a message',
  'chat.sendButton': 'Send',
  'chat.title': 'Chat',
  'chat.tabs.polls': 'Polls',
  'connection.CONNFAIL': 'Connection failed',
  'deepLinking.launchWebButton': 'Launch in web',
  'deepLinking.title': 'Launching your meeting in Jitsi Meet…',
  'deepLinking.tryAgainButton': 'Try again in desktop',
  'dialog.authenticationRequired': 'Authentication required',
  'dialog.Cancel': 'Cancel',
  'dialog.conferenceDisconnectMsg': 'You may want to check your network connection. Reconnecting in {0} sec…',
  'dialog.conferenceDisconnectTitle': 'You have been disconnected.',
  'dialog.conferenceReloadMsg': "We're trying to fix this. Reconnecting in {0} sec…",
  'dialog.conferenceReloadTitle': 'Unfortunately, something went wrong.',
  'dialog.connectError': "Oops! Something went wrong and we couldn't connect to the conference.",
  'dialog.dismiss': 'Dismiss',
  'dialog.errorRoomCreationRestriction': 'You tried to join too quickly, please come back in a bit.',
  'dialog.IamHost': 'Log-in',
  'dialog.maxUsersLimitReached':
    'The limit for maximum number of participants has been reached. The conference is full. Please contact the meeting owner or try again later!',
  'dialog.maxUsersLimitReachedTitle': 'Maximum participants limit reached',
  'dialog.Ok': 'OK',
  'dialog.passwordRequired': 'Password required',
  'dialog.passwordLabel': 'The meeting has been locked by a participant. Please enter the password to join.',
  'dialog.recordingInProgressTitle': 'Recording in progress',
  'dialog.recordingInProgressDescription':
    'This meeting is being recorded and analyzed by AI. Your audio and video have been muted. If you choose to unmute, you consent to being recorded.',
  'dialog.understandAndMuted': 'I understand, keep me muted for now',
  'dialog.understandAndUnmute': 'I understand, please unmute me',
  'dialog.rejoinNow': 'Rejoin now',
  'dialog.sendPrivateMessage':
    'You recently received a private message. Did you intend to reply to that privately, or do you want to send your message to the group?',
  'dialog.sendPrivateMessageCancel': 'Send to the group',
  'dialog.sendPrivateMessageOk': 'Send privately',
  'dialog.sendPrivateMessageTitle': 'Send privately?',
  'dialog.tokenAuthFailed': "Sorry, you're not allowed to join this call.",
  'dialog.unauthenticatedAccessDisabled': 'This call requires authentication. Please login in order to proceed.',
  'dialog.user': 'User identifier',
  'dialog.userPassword': 'User password',
  'dialog.WaitingForHostTitle': 'Waiting for a moderator…',
  'dialog.WaitForHostNoAuthMsg':
    "The conference has not yet started because no moderators have yet arrived. If you'd like to become a moderator please log-in. Otherwise, please wait.",
  'dialog.WaitForHostButton': 'Wait for moderator',
  'feedback.rateExperience': 'Rate your meeting experience',
  'lobby.backToKnockModeButton': 'No password, ask to join instead',
  'lobby.enterPasswordButton': 'Enter meeting password',
  'lobby.enterPasswordTitle': 'Enter password to join meeting',
  'lobby.invalidPassword': 'Invalid password',
  'lobby.joiningMessage': "You'll join the meeting as soon as someone accepts your request",
  'lobby.joiningTitle': 'Asking to join meeting…',
  'lobby.joinRejectedMessage': 'Your join request was rejected by a moderator.',
  'lobby.joinRejectedTitle': 'Join request rejected.',
  'lobby.joinTitle': 'Join Meeting',
  'lobby.knockButton': 'Ask to Join',
  'lobby.nameField': 'Enter your name',
  'lobby.passwordField': 'Enter meeting password',
  'lobby.passwordJoinButton': 'Join',
  'notify.connectedOneMember': '{0} joined the meeting',
  'notify.leftOneMember': '{0} left the meeting',
  'notify.moderationInEffectCSTitle': 'Screen sharing is blocked by the moderator',
  'notify.moderationInEffectTitle': 'Your microphone is muted by the moderator',
  'notify.mutedRemotelyTitle': "You've been muted by {0}",
  'prejoin.errorMissingName': 'Please enter your name to join the meeting',
  'prejoin.joinMeeting': 'Join meeting',
  'prejoin.joinOptions': 'More join options',
  'prejoin.joinWithoutAudio': 'Join without audio',
  'toolbar.audioSettings': 'Audio settings',
  'toolbar.videoSettings': 'Video settings',
  'toolbar.closeChat': 'Close chat',
  'toolbar.endConference': 'End meeting for all',
  'toolbar.hangup': 'Leave the meeting',
  'toolbar.leaveConference': 'Leave meeting',
  'toolbar.moreActions': 'More actions',
  'toolbar.mute': 'Mute microphone',
  'toolbar.noisyAudioInputTitle': 'Your microphone appears to be noisy!',
  'toolbar.openChat': 'Open chat',
  'toolbar.participants': 'Open participants panel. {0} participants',
  'toolbar.participantsTitle': 'Meeting participants ({0})',
  'toolbar.raiseHand': 'Raise your hand',
  'toolbar.shareScreen': 'Start sharing your screen',
  'toolbar.stopScreenSharing': 'Stop sharing your screen',
  'toolbar.tip': 'Polls are now in the chat panel.',
  'toolbar.unmute': 'Unmute microphone',
  'toolbar.videomute': 'Stop camera',
  'toolbar.videounmute': 'Start camera',
  // Labels of older pages name the device and not its state.
  'old.audio': 'Mute / Unmute',
  'old.chat': 'Open / Close chat',
  'old.hangup': 'Leave the call',
  'old.video': 'Start / Stop camera',
  'remote.defaultName': 'Fellow Jitster',
} as const

export type TextName = keyof typeof ENGLISH

const GERMAN: Partial<Record<TextName, string>> = {
  'chat.messagebox': 'Nachricht eingeben',
  'chat.title': 'Chatten',
  'connection.CONNFAIL': 'Verbindungsaufbau gescheitert',
  'deepLinking.launchWebButton': 'Im Web öffnen',
  'deepLinking.title': 'Die Konferenz wird in Jitsi Meet geöffnet...',
  'dialog.Cancel': 'Abbrechen',
  'dialog.conferenceDisconnectMsg': 'Prüfen Sie allenfalls Ihre Netzwerkverbindung. Verbinde in {0} Sekunden...',
  'dialog.conferenceDisconnectTitle': 'Ihre Verbindung ist getrennt worden.',
  'dialog.dismiss': 'OK',
  'dialog.passwordRequired': 'Passwort erforderlich',
  'old.hangup': 'Konferenz verlassen',
  'toolbar.closeChat': 'Chat schließen',
  'toolbar.endConference': 'Konferenz für alle beenden',
  'toolbar.hangup': 'Konferenz verlassen',
  'toolbar.leaveConference': 'Konferenz verlassen',
  'toolbar.mute': 'Mikrofon deaktivieren',
  'toolbar.openChat': 'Chat öffnen',
  'toolbar.unmute': 'Stummschaltung aufheben',
  'toolbar.videomute': 'Kamera stoppen',
  'toolbar.videounmute': 'Kamera einschalten',
}

export type Words = (name: TextName, ...values: (string | number)[]) => string

/** Texts without a translation stay English, as on the real page. */
export function wordsOf(lang: string): Words {
  const translated = lang.startsWith('de') ? GERMAN : {}
  return (name, ...values) =>
    (translated[name] ?? ENGLISH[name]).replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)] ?? ''))
}

/** Texts that the server names, which may be one this page does not have. */
export function isTextName(name: string): name is TextName {
  return name in ENGLISH
}
