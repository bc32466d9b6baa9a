/**
 * Marks of the page that do not depend on its language; constants only, with one note on what each proves. Most are the
 * names that the project's own tests use (docs/platform-notes/jitsi.md#pre-join-page and below).
 */
export const SELECTORS = {
  /** The screen before the join and, with another class, the lobby. */
  prejoin: '[data-testid="prejoin.screen"]',
  lobby: '.lobby-screen',
  /** Shown in the lobby after the request to join. */
  knocking: '.lobby-screen .joining-message',
  nameBox: '#premeeting-name-input, [data-testid="lobby.nameField"]',
  /** The button that joins, or asks to join where the room has a lobby. */
  join: '[data-testid="prejoin.joinMeeting"], [data-testid="lobby.knockButton"]',
  nameMissing: '[data-testid="prejoin.errorMessage"]',
  /** The dialog of a locked room, and the lobby's form for people who know the password. */
  passwordBox: 'input[name="lockKey"], [data-testid="lobby.password"]',
  passwordJoin: '[data-testid="lobby.passwordJoinButton"]',
  withPassword: '[data-testid="lobby.enterPasswordButton"]',
  passwordWrong: '[data-testid="lobby.errorMessage"]',
  loginBox: 'input[name="username"]',
  clickable: 'button, [role="button"]',
  icon: 'svg, .jitsi-icon',
  dialog: '[role="dialog"], [role="alertdialog"]',
  dialogOk: '#modal-dialog-ok-button',
  /** Why a conference was over; it stays until a person presses OK. */
  leaveReason: '[data-testid="dialog.leaveReason"]',
  /** The page is about to reload itself; light where only the network is at fault. */
  overlay: '#overlay',
  lightOverlay: '#overlay.overlay__container-light',
  /** A notification has the key of its text, and so has its description. */
  notification: '#notifications-container [data-testid]',
  notificationArea: '#notifications-container',
  /** Tiles of the other participants; a shared screen has a separate one. The own tile has another id. */
  remoteTile: 'span.videocontainer[id^="participant_"]',
  tileName: '.displayname',
  dominantTile: 'span.videocontainer.dominant-speaker[id^="participant_"]',
  /** Dots that grow with the voice. */
  levelDot: '.audioindicator-container [class*="audiodot"], .audioindicator-container span',
  toolbox: '.new-toolbox',
  /** Beside the toggles of microphone and camera, in every language. */
  microphoneMenu: '#audio-settings-button',
  cameraMenu: '#video-settings-button',
  toggleGroup: '.settings-button-container',
  toggle: '.toolbox-button',
  chatPanel: '#sideToolbarContainer',
  chatBox: '#chat-input-messagebox',
  chatInput: '#chat-input',
  chatMessage: '#chatconversation .chatmessage',
  chatMessageText: '.usermessage',
  chatSender: '.display-name',
  /** Messages and names of people; the page's own wording is elsewhere. */
  peoples:
    '.filmstrip, #largeVideoContainer, #sideToolbarContainer, #participants-pane, .subject, .lobby-chat-container',
} as const
