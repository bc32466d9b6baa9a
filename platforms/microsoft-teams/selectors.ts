/**
 * Marks of the page that do not depend on its language; constants only, one note on what each proves. `data-tid` and `id`
 * survive releases, class names do not (docs/platform-notes/microsoft-teams.md#stable-anchors). Wording is in
 * `words/`.
 */
export const SELECTORS = {
  clickable: 'button, [role="button"], [role="menuitem"], [role="menuitemradio"], [role="radio"]',
  dialog: '[role="dialog"], [role="alertdialog"]',
  heading: 'h1, h2, [role="heading"]',
  icon: 'svg, style, script, .fui-Tooltip__content',
  /** Captions under icons are visual copies, and no part of a button's name. */
  hidden: '[aria-hidden="true"]',

  /* Pages that lead to the meeting's page. */
  splash: '#loading-screen',
  /** The shell of the web client before it shows a page. */
  shell: '[data-tid^="pre-core-title-bar"]',
  onWeb:
    '[data-tid="joinOnWeb"], [data-tid="joinOnWebButton"], #openTeamsClientInBrowser, [data-tid="continue-on-browser"]',
  launcher: '#launcherApp, [data-tid="joinInApp"]',
  /** Microsoft's sign-in form, on any page. */
  signInForm: 'input[name="loginfmt"]',

  /* The page before the join. */
  preJoin: '[data-tid="calling-prejoin-screen"]',
  nameBox:
    'input[data-tid="prejoin-display-name-input"], input#prejoin-display-name, input[placeholder="Type your name"]',
  anyTextBox: 'input[type="text"]:not([aria-hidden="true"])',
  join: '[data-tid="prejoin-join-button"], #prejoin-join-button',
  cancel: '[data-tid="prejoin-cancel-button"]',
  /** The organizer's own words for the meeting. */
  meetingTitle: '[data-tid="meeting-header-title"], [data-tid="meeting-details-container"]',
  microphoneSwitch: '[data-tid="toggle-mute"]',
  cameraSwitch: '[data-tid="toggle-video"]',
  speakerSwitch: '[data-tid="speaker-toggle"]',
  /** Without it the meeting has no sound. */
  computerAudio: '[data-tid="calling-prejoin-v2-computer-audio-renderer-test"] [role="radio"]',
  captcha: '[aria-describedby="captcha-dialog-instructions"], [data-tid="HIP-Captcha-Image"]',

  /* After the request to join. The waiting room keeps the controls of the page before it. */
  connecting: '[data-tid="calling-connecting-screen"]',
  lobby:
    '[data-tid="calling-lobby-screen"], [data-tid="lobby-screen"], [data-tid="lobby-wait-screen"], [data-tid="lobby-waiting-room"], [data-tid="prejoin-waiting-room"]',

  /* One screen for a wrong link, a denial, a removal and a failed connection; its words distinguish them. */
  retry: '[data-tid="calling-retry-screen"], [data-tid="calling-declined-screen"]',
  retryTitle: '#calling-retry-screen-title',
  retryText: '#calling-retry-screen-description',
  retryCode: '[data-tid="meeting-code-input"]',
  retryAgain: '[data-tid="calling-retry-rejoinbutton"]',
  encryptionEnd: '[data-tid="calling-e2ee-end-screen"]',
  end: '[data-tid="anon-meeting-end-screen-header"], [data-tid="call-ended-screen"], [data-tid="post-call-screen"], [data-tid="rejoin-title"]',

  /* The call's toolbar. */
  callScreen: '[data-cid="call-screen-wrapper"]',
  leave: '#hangup-button, [data-tid="hangup-main-btn"], [data-inp="hangup-button"], [data-tid="anon-hangup-button"]',
  /** The small window of a call for which the page shows another view; it is no toolbar. */
  monitor: '[data-tid="call-monitor"], [data-tid="call-monitor-v2"]',
  /** Never the item that ends the meeting for all. */
  leaveItem: '[data-tid="hangup-leave-button"]',
  confirmLeave: '[data-tid="confirm-leave-button"], [data-tid="leave-meeting-confirm"]',
  microphone: '#microphone-button, #mic-button',
  microphoneOffMark: '[data-testid="ubar-mic-off-icon"], [data-testid="ubar-mic-prohibited-icon"]',
  camera: '#video-button',
  chat: '#chat-button, [data-tid="chat-button"], [data-tid="toggle-chat"]',
  people: '#roster-button, [data-inp="roster-button"], [data-tid="calling-toolbar-people-button"]',
  peopleBadge: '[data-tid="toolbar-item-badge"], [data-tid="roster-button-tile"]',
  share: '#screenshare-button, #share-button',
  raise: '#raisehands-button',
  react: '[data-tid="reaction-menu-button-without-raise-hand"]',
  more: '#callingButtons-showMoreBtn, [data-tid="more-button"]',
  view: '#view-mode-button, #custom-view-button, [data-tid="view-mode-button"]',
  speakerView: '#SpeakerView-button, #custom-view-button-SpeakerViewButton',
  galleryView: '#MixedGrid-button, #MixedGridView-button, #custom-view-button-MixedGridButton',
  viewMore: '#ViewModeMoreOptionsMenuControl-id',
  /** Turns incoming video off and on. */
  incomingVideo: '#incoming-video-button, #toggle-incoming-video-button',
  duration: '[data-tid="call-duration"], #call-duration-custom',
  menu: '[role="menu"]',

  /* The area of the tiles, and the tiles. */
  stage: '[data-tid="modern-stage-wrapper"], [data-tid="stage-layouts-renderer"], [data-tid="MixedStage-wrapper"]',
  tile: '[data-cid="calling-participant-stream"], [data-stream-type]',
  /** The menu item around a tile, whose label says whose it is. */
  tileHolder: '[role="menuitem"]',
  tileName: '[data-tid="participant-info-nametag"]',
  ownTile: '[data-tid="myself-video"]',
  /** On the tile of a participant whose hand is up; as public readers of the page have it, 2026. */
  raisedHand: '[data-tid*="raised-hand"], [data-tid*="raisehand-icon"]',
  outline:
    '[data-tid="voice-level-stream-outline"], [data-tid="ai-interpreter-outline"], [data-tid="participant-speaker-ring"]',
  avatar: '[data-tid="calling-screen-avatar"][data-person-mri]',

  /* The one side pane: people or chat. */
  sidePane: '[data-tid="calling-right-side-panel"]',
  personRow: '[data-cid="roster-participant"], [data-tid^="participantsInCall-"], [data-tid^="attendeesInMeeting-"]',
  /** Rows of people who are not in the meeting. */
  absentRow: '[data-tid^="participantsInLobby-"], [data-tid^="participantsFromThread-"]',
  organizerMark: '[data-tid="ts-roster-organizer-status"]',
  chatList: '#chat-pane-list, [data-tid="chat-pane-list"]',
  chatItem: '[data-tid="chat-pane-item"]',
  chatMessage: '[data-tid="chat-pane-message"]',
  chatAuthor: '[data-tid="message-author-name"]',
  chatText: '[data-tid="messageBodyContent"], [id^="content-"]',
  /** System messages: who joined and left, that a recording began. */
  chatSystem: '[data-tid="control-message-renderer"], .fui-ChatControlMessage',
  /** In place of a message that was deleted. */
  chatDeleted: '[data-tid="message-tombstone"]',
  chatOwn: '.fui-ChatMyMessage',
  chatBox: '[data-tid="ckeditor"], [data-tid="ckeditor-replyBox"], .ck-editor__editable',
  textBox: '[role="textbox"][contenteditable="true"]',
  chatOff: '[data-tid="compose-disabled-placeholder-text"]',
  send: '[data-tid="newMessageCommands-send"], [data-tid="sendMessageCommands-send"]',

  /* Captions. */
  captions:
    '[data-tid="closed-caption-renderer-wrapper"], [data-tid="closed-captions-renderer"], [data-tid="closed-caption-v2-window-wrapper"], [data-tid="closed-caption-v2-virtual-list-content"]',
  captionAuthor: '[data-tid="author"]',
  captionText: '[data-tid="closed-caption-text"]',
  captionsItem: '#closed-captions-button',
  captionsMenu: '#LanguageSpeechMenuControl-id',

  /** Banners and toasts have many meanings, and none of them ends a call. */
  banner: '[data-tid^="ufd_"], [data-tid^="callingAlert"], .fui-Toast',
} as const
