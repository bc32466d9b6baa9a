import { PLATFORM_WAIT_SECONDS } from '@standin/wire/reasons.ts'

/** Limits and intervals of the driver, all in milliseconds. The defaults are those for the real pages. */
export const REAL_WAITS = {
  /** From the address to the first document. */
  loadMs: 30_000,
  /** From the first document to being in the waiting room or in the meeting. */
  preJoinMs: 120_000,
  /** After so long without a known sign an unknown page will not show one any more. */
  unknownPageMs: 75_000,
  /** Interval between two polls before the meeting, and in it. */
  pollEveryMs: 500,
  callPollEveryMs: 1000,
  /** The same once the bot has asked to join: the recording may miss this much of the meeting's first second. */
  admissionPollMs: 150,
  /** The green room may ask for the devices when its button works already: for so long it may have no device. */
  devicesMs: 2500,
  /** From a click on the join button to a change of the page. */
  joinClickMs: 7000,
  joinClicks: 5,
  /** After so long Google Meet denies the guests of its second queue, in the words of a denial by a person. */
  suspectedMs: 300_000,
  /** After so long Microsoft Teams removes a guest from the lobby. */
  lobbyMs: PLATFORM_WAIT_SECONDS.teams * 1000,
  /** Proof of the meeting has to hold for so long: after a waiting room, without one, and where the roster agrees. */
  holdAfterLobbyMs: 6000,
  holdWithoutLobbyMs: 10_000,
  holdWithRosterMs: 2000,
  /** How long a person may take to solve a visible captcha. */
  captchaMs: 120_000,
  /** Limit for the page's answer to one question; after three in a row without an answer the page counts as frozen. */
  answerMs: 10_000,
  answerTries: 3,
  /** The same in the meeting, if the bot has to rejoin soon. */
  callAnswerMs: 3500,
  callAnswerTries: 2,
  /** The same where the page waits for a processor, or may. */
  busyAnswerTries: 7,
  /** After the click on Leave, until the page says that the call was left. */
  leaveMs: 5000,
  leaveClicks: 5,
  /** How long a lost connection may take to come back. */
  reconnectMs: 40_000,
  /** After so long in the meeting without a sign of the meeting or its end the page counts as broken. */
  unknownInCallMs: 120_000,
  /** The chat panel's text box, and the sign that a message was sent. */
  chatOpenMs: 3000,
  chatSentMs: 5000,
  /** One click by pointer. */
  clickMs: 2500,
  /** Each kind of dialog is pressed at most three times within this time. */
  dialogDismissMs: 5000,
  /** How long after admission the page may still open dialogs and turn devices on. */
  settleMs: 8000,
  /** An error in starting the call counts after so long; shorter ones are ignored. */
  callErrorMs: 6000,
  /** The call's toolbar without any words of the waiting room counts as the waiting room after so long. */
  undecidedMs: 20_000,
  /** The limit for leaving as a whole. */
  leaveTotalMs: 15_000,
  /** The picture of the meeting, from the request to the first painted frame. */
  paintMs: 15_000,
}

export type Waits = Readonly<typeof REAL_WAITS>
