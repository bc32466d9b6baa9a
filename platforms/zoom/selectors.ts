/**
 * Marks of the page that do not depend on its language; constants only, with one note on what each proves. The web
 * client and the SDK's Client View share them from the preview on. Wording is in `words/`; where each was seen is in
 * docs/platform-notes/zoom.md#launch-page and below.
 */
export const SELECTORS = {
  /** The page of a link that cannot be joined, or not yet. */
  pageError: '#global-error .error-message',
  /** The page that offers the desktop app; its controls are links in one layout and buttons in the other. */
  launchPage: '#zoom-ui-frame',
  clickable: 'button, a, [role="button"]',
  cookieBanner: '#onetrust-banner-sdk',
  cookieReject: '#onetrust-reject-all-handler',
  cookieAccept: '#onetrust-accept-btn-handler',
  /** Terms of the classic client. */
  termsAgree: '#wc_agree1',
  /** An organization's own text, to which people have to agree; its class has three m. */
  disclaimer: '.commmon-disclaimer-dialog',
  disclaimerAgree: '#disclaimer_agree',
  /** The form of either client. */
  preview: '.preview-root',
  nameBox: '#input-for-name, #inputname, input[placeholder="Your Name" i]',
  passcodeBox: '#input-for-pwd, #inputpasscode',
  emailBox: '#input-for-email, #inputemail',
  joinButton: 'button.preview-join-button, #joinBtn',
  fieldError: '.preview-meeting-info__field-error',
  /** Present as soon as the preview has looked for devices. */
  previewMicrophone: '#preview-audio-control-button',
  previewCamera: '#preview-video-control-button',
  previewWall: '.preview-reCaptcha-error__message',
  captchaPicture: '.component_smart_captcha',
  captchaFrame: 'iframe[src*="recaptcha"]',
  /** "Joining Meeting...": outranks every mark of the meeting behind it. */
  joiningLayer: '#wc-loading .join-meeting, .pwa-webclient__loading, .loading-layer--bo-room',
  /** Every waiting room, also that of a bot on hold. */
  waitingRoom: '.waiting-room-container, .meeting-on-hold, .bhold, .waiting-pannel',
  waitingLeave: 'button.leave-btn',
  signInPrompt: '#prompt',
  /** The frame of everything in the meeting, also around its waiting room. */
  meetingApp: '#meeting-app, .meeting-app',
  footer: '#wc-footer',
  leaveContainer: '.footer__leave-btn-container',
  /** Pictures that only the meeting has. */
  speakerFrame: '.speaker-active-container__wrap',
  galleryFrame: '.gallery-video-container__main-view',
  singleFrame: '.single-main-container__video-frame, .single-suspension-container__video-frame',
  microphone: 'button.join-audio-container__btn',
  camera: 'button.send-video-container__btn',
  peopleButton: '[feature-type="participant"] button',
  peopleCounter: '.footer-button__number-counter',
  chatButton: '[feature-type="chat"] button',
  moreButton: '[feature-type="more"] button',
  moreFrame: '[feature-type="more"]',
  moreMenu: '.more-button__pop-menu',
  leaveOptions: '.leave-meeting-options',
  /** A host's other, highlighted button ends the meeting for all. */
  leaveDefault: 'button.leave-meeting-options__btn--default',
  viewButton: 'button.full-screen-widget__button',
  viewItem: '.full-screen-widget__pop-menu a.dropdown-item',
  /** Dialogs that cover the meeting and may be answered. */
  dialog:
    '.ReactModal__Content, .zm-modal, .pepc-permission-dialog-container, .commmon-disclaimer-dialog, ' +
    '.recording-disclaimer-dialog, .notification-consent-banner, .dialog-reconnect-container, .relative-tooltip, ' +
    '.settings-feature-tips, [class*="join-audio-by-pc-container"]',
  /** The name is on the element around the dialog, or on the dialog; harmless ones have names too. */
  namedDialog:
    '.ReactModal__Content[aria-label], [role="dialog"][aria-label], .zm-modal[aria-label], [aria-label="BotDetectedDialog"]',
  /** Says that the meeting is recorded. */
  recordingNotice: '.recording-disclaimer-dialog, .notification-consent-banner',
  reconnecting: '.dialog-reconnect-container',
  disconnected: '#wc-leave',
  toasts: '#notificationManager',
  rightPanels: '#wc-container-right',
  /** A virtual list: only the rows in view are in the page. */
  peopleList: '#participants-ul, #participants-unified-list, .participants-ul',
  personRow: '.participants-li',
  personName: '.participants-item__display-name',
  personLabel: '.participants-item__name-label',
  /** Tiles of every view. */
  tile:
    '.speaker-active-container__video-frame, .speaker-bar-container__video-frame, ' +
    '.gallery-video-container__video-frame, .multi-speaker-main-container__video-frame, ' +
    '.single-main-container__video-frame, .single-suspension-container__video-frame, ' +
    '.suspension-video-container__video-frame',
  /** The one large picture; its person speaks or spoke last. */
  speakerTile: '.speaker-active-container__video-frame',
  /** Lingers after speech: never a proof by itself. */
  activeTile: '[class*="video-frame--active"]',
  tileFooterName: '.video-avatar__avatar-footer > span',
  tileName: '.video-avatar__avatar-name',
  tilePicture: 'img.video-avatar__avatar-img[alt]',
  tileMuted: '[class*="video-avatar__avatar-footer--view-mute"]',
  player: 'video-player',
  shareView: '.sharee-container__viewport',
  /** Names people who speak and have no tile. */
  talking: 'span.asntip',
  chatPanel: '.chat-container',
  chatItem: '.chat-item-container',
  chatSystemItem: '.chat-item-container__sys, .chat-item__pmc',
  chatHeader: '.new-chat-item__chat-info-header',
  chatSender: '.chat-item__sender',
  chatTime: '.new-chat-item__chat-info-time-stamp',
  chatRow: '.new-chat-message__container',
  chatText: '.new-chat-message__text-content',
  chatOwnBox: '.new-chat-message__text-box--self',
  chatOwnText: '.new-chat-message__text-content--self',
  chatReceiverButton: '#chatReceiverMenu .chat-receiver-list__receiver',
  chatEditor: '.chat-rtf-box__editor-outer div.ProseMirror, textarea.chat-box__chat-textarea',
  chatSend: 'button.chat-rtf-box__send',
  captions: '.live-transcription-subtitle__box',
  captionText: '.live-transcription-subtitle__item',
  captionsButton: '.footer__button-wrap[feature-type="captions"] button',
  captionsIcon: 'svg.SvgCaptions',
  /** Initials beside a row's text. */
  captionInitials: '.zmu-data-selector-item__icon',
  /** The first use of captions asks for a language, and another dialog whether to do so again. */
  captionsLanguage: '.lt-select-language, .lt-select-language--ask, .big-dialog:has(.lt-checkbox-info)',
  primaryButton: '.zm-btn--primary',
  /** A guest has it while breakout rooms are open. */
  roomsButton: '[feature-type="bo"]',
  /** Over the meeting while the bot is moved to a breakout room or back. */
  roomLayer: '.loading-layer--bo-room',
  heading: 'h1, h2, [role="heading"]',
  icon: 'svg, style, script, .lazy-svg-icon__icon',
} as const

export type SelectorName = keyof typeof SELECTORS
