/** Limits and paces of the driver, all in milliseconds. Those of the real page are the defaults. */
export interface Waits {
  /** From the address to the first document. */
  loadMs: number
  /** From the first document to being in the waiting room or in the meeting. */
  preJoinMs: number
  /** A page that says nothing we know for so long will not say anything any more. */
  unknownPageMs: number
  /** Between two looks before the meeting, and in it. */
  pollEveryMs: number
  callPollEveryMs: number
  /** Once the bot has asked to join: what is missed of the meeting's first second is between two of them. */
  admissionPollMs: number
  /** The green room asks for the devices while its button can be pressed already: so long it may have none. */
  devicesMs: number
  /** From a click on the join button to a change of the page. */
  joinClickMs: number
  joinClicks: number
  /** Proof of the meeting has to hold for so long: after a waiting room, without one, and where the roster agrees. */
  holdAfterLobbyMs: number
  holdWithoutLobbyMs: number
  holdWithRosterMs: number
  /** A visible captcha may be solved by a person for so long. */
  captchaMs: number
  /** The page's answer to one question; three in a row without one and it is frozen. */
  answerMs: number
  answerTries: number
  /** The same in the meeting, where the bot has to rejoin soon. */
  callAnswerMs: number
  callAnswerTries: number
  /** Where the page waits for a processor, or may. */
  busyAnswerTries: number
  /** After the click on Leave, until the page says that the call was left. */
  leaveMs: number
  leaveClicks: number
  /** A lost connection may come back for so long. */
  reconnectMs: number
  /** A page in the meeting that shows neither meeting nor end for so long is broken. */
  unknownInCallMs: number
  /** The chat panel's text box, and the sign that a message was sent. */
  chatOpenMs: number
  chatSentMs: number
  /** One click by pointer. */
  clickMs: number
  /** Sweep of dialogs: each kind is tried three times in this time. */
  dialogDismissMs: number
  /** For so long after admission the page may still open dialogs and turn devices on. */
  settleMs: number
  /** An error in starting the call that stands for so long is one; shorter ones are a flash. */
  callErrorMs: number
  /** The call's toolbar without any word of the waiting room: taken for the waiting room after so long. */
  undecidedMs: number
  /** All of leaving. */
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
