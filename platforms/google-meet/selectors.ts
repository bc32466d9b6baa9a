/**
 * Marks of the page that do not depend on its language; constants only, with one note on what each proves. Wording is
 * in `words/`. Dates of the last sightings are in docs/platform-notes/google-meet.md#anchors and below.
 */
export const SELECTORS = {
  /** The guest's name, best first; the last one is the only visible text box of the page. */
  nameBox:
    'input[jsname="YPqjbf"], input[type="text"][aria-label="Your name"], input[type="text"][placeholder="Your name"]',
  anyTextBox: 'input[type="text"]:not([aria-hidden="true"])',
  clickable: 'button, [role="button"]',
  /** The main button of the green room. */
  joinByName: '[jsname="Qx7uuf"]',
  /** Device toggles: the state is in `data-is-muted`; microphone first, camera second. */
  deviceToggle: ':is(div, button)[data-is-muted]',
  microphoneByName: '[jsname="hw0c9"]',
  cameraByName: '[jsname="psRWwc"]',
  dialog: '[role="dialog"], [role="alertdialog"]',
  /** Real tiles. The waiting room's effects button has a participant id too, but no media id. */
  tile: '[data-participant-id][data-tile-media-id]',
  /** Own tile: Reframe, Backgrounds and effects, or the older attribute. */
  ownTileMark: '[jsname="nsKqzb"], [jsname="Ac69Jc"]',
  ownNameAttribute: '[data-self-name]',
  /** Contains the names in tiles; a second copy is hidden from screen readers. */
  tileName: 'span.notranslate',
  speakingMark: '[jsname="QgSmzd"]',
  leaveByName: '[jsname="CQylAd"]',
  /** Rows of the people panel. */
  personRow: '[role="listitem"][data-participant-id]',
  peoplePanelButton: 'button[data-panel-id="1"]',
  /** In some accounts a badge replaces the people button. */
  peopleBadge: '[role="button"][aria-haspopup="dialog"]',
  sidePanel: 'aside',
  menuItem: '[role="menuitem"], [role="menuitemcheckbox"]',
  captionsRegion: '[role="region"][aria-label="Captions"]',
  chatPanelButton: 'button[data-panel-id="2"]',
  chatPanel: '[data-panel-container-id^="sidePanel2"]',
  /** Select by tag: the send button has the same label. */
  chatBox: 'aside textarea',
  /** Pin buttons have the message's id as well, so buttons are excluded. */
  chatMessage: '[data-message-id]:not(button)',
  chatMessageText: '[jsname="dTKtvb"]',
  chatGroup: '[jsname="Ypafjf"]',
  chatTime: '[jsname="biJjHb"]',
  /** Regions of short notices; each notice is a child of one. */
  notices: '[role="status"], [aria-live="polite"]',
  sendByName: '[jsname="SoqoBf"]',
  /** Buttons of pages that end a visit; the first is in the waiting room too, and no longer seen on the last page. */
  returnHome: '[jsname="EszDse"], [data-mdc-dialog-action="returnToHomePage"]',
  returnHomeButton: '[jsname="dqt8Pb"]',
  callEnded: '[data-call-ended="true"]',
  countdown: '[role="timer"]',
  /** Every page has invisible ones; only a large visible frame is a challenge. */
  captcha: 'iframe[src*="recaptcha"]',
  heading: 'h1, h2, [role="heading"]',
  /** Icons are text: never part of a label. */
  icon: 'i, .google-symbols, .material-icons, .material-icons-extended, svg, style, script',
} as const
