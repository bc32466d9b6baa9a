/** Limits and intervals of the driver, all in milliseconds. The defaults are those for the real pages. */
export interface Waits {
  /** From the address to the first document. */
  loadMs: number
  /** From the first document to being in the waiting room or in the meeting. */
  preJoinMs: number
  /** After so long without a known sign an unknown page will not show one any more. */
  unknownPageMs: number
  /** Interval between two polls before the meeting, and in it. */
  pollEveryMs: number
  callPollEveryMs: number
  /** The same once the bot has asked to join: the recording may miss this much of the meeting's first second. */
  admissionPollMs: number
  /** The green room may ask for the devices when its button works already: for so long it may have no device. */
  devicesMs: number
  /** From a click on the join button to a change of the page. */
  joinClickMs: number
  joinClicks: number
  /** Proof of the meeting has to hold for so long: after a waiting room, without one, and where the roster agrees. */
  holdAfterLobbyMs: number
  holdWithoutLobbyMs: number
  holdWithRosterMs: number
  /** How long a person may take to solve a visible captcha. */
  captchaMs: number
  /** Limit for the page's answer to one question; after three in a row without an answer the page counts as frozen. */
  answerMs: number
  answerTries: number
  /** The same in the meeting, if the bot has to rejoin soon. */
  callAnswerMs: number
  callAnswerTries: number
  /** The same where the page waits for a processor, or may. */
  busyAnswerTries: number
  /** After the click on Leave, until the page says that the call was left. */
  leaveMs: number
  leaveClicks: number
  /** How long a lost connection may take to come back. */
  reconnectMs: number
  /** After so long in the meeting without a sign of the meeting or its end the page counts as broken. */
  unknownInCallMs: number
  /** The chat panel's text box, and the sign that a message was sent. */
  chatOpenMs: number
  chatSentMs: number
  /** One click by pointer. */
  clickMs: number
  /** Each kind of dialog is pressed at most three times within this time. */
  dialogDismissMs: number
  /** How long after admission the page may still open dialogs and turn devices on. */
  settleMs: number
  /** An error in starting the call counts after so long; shorter ones are ignored. */
  callErrorMs: number
  /** The call's toolbar without any words of the waiting room counts as the waiting room after so long. */
  undecidedMs: number
  /** The limit for leaving as a whole. */
  leaveTotalMs: number
  /** The picture of the meeting, from the request to the first painted frame. */
  paintMs: number
}

export const REAL_WAITS: Readonly<Waits> = {
  loadMs: 30_000,
  preJoinMs: 120_000,
  unknownPageMs: 75_000,
  pollEveryMs: 500,
  callPollEveryMs: 1000,
  admissionPollMs: 150,
  devicesMs: 2500,
  joinClickMs: 7000,
  joinClicks: 5,
  holdAfterLobbyMs: 6000,
  holdWithoutLobbyMs: 10_000,
  holdWithRosterMs: 2000,
  captchaMs: 120_000,
  answerMs: 10_000,
  answerTries: 3,
  callAnswerMs: 3500,
  callAnswerTries: 2,
  busyAnswerTries: 7,
  leaveMs: 5000,
  leaveClicks: 5,
  reconnectMs: 40_000,
  unknownInCallMs: 120_000,
  chatOpenMs: 3000,
  chatSentMs: 5000,
  clickMs: 2500,
  dialogDismissMs: 5000,
  settleMs: 8000,
  callErrorMs: 6000,
  undecidedMs: 20_000,
  leaveTotalMs: 15_000,
  paintMs: 15_000,
}
