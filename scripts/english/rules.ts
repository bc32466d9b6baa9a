/** The words and names that the English check rejects. Each rule says why, and what to write instead. */

export interface Rule {
  id: string
  /** Searched in every sentence (for text) or compared with whole identifiers (for names). */
  pattern: RegExp
  why: string
  say: string
  /** A violation, which the test plants. */
  example: string
}

/** Rules for comments, messages, names of tests and Markdown. */
export const TEXT_RULES: readonly Rule[] = [
  {
    id: 'indefinite-person',
    pattern: /\b(nobody|somebody|whoever|whomever|everybody|anybody|whatever)\b/i,
    why: 'The sentence hides who acts.',
    say: 'name the participant, the caller, the operator or the program',
    example: 'Nobody retries a join.',
  },
  {
    id: 'what-as-subject',
    pattern: /^What (?!.*\?$)(?!if\b)/,
    why: 'A clause as the subject hides the noun.',
    say: 'start with the noun: "Files that …", "The page …", "Settings of …"',
    example: 'What is stored stays in the folder.',
  },
  {
    id: 'what-dies',
    pattern: /\b(what|which|that|who|it|when \w+) (dies|died)\b|\b(dies|died|dying)\b/i,
    why: 'Operators search for crash, exit or close.',
    say: 'crashes, exits, is closed',
    example: 'The bot restarts what dies.',
  },
  {
    id: 'told',
    pattern: /\b(is|are|was|were|be|been|being|gets?|has|have|had) told\b|\btold (apart|from|by|of|at|about|to)\b/i,
    why: 'A program is not told things; the passive leaves out who sends them.',
    say: 'receives, is notified, is reported, is distinguished',
    example: 'The control plane is told of it.',
  },
  {
    id: 'tells',
    pattern: /\b(tells|tell) (what|which|whether|how|that|its|the|it|them|of|apart|us)\b/i,
    why: 'Reporting, emitting and showing are three things.',
    say: 'reports, emits, shows, distinguishes',
    example: 'The page tells what it sees.',
  },
  {
    id: 'heard-of',
    pattern: /\b(hears?|heard) (of|by|about|from)\b/i,
    why: 'Only people hear; a listener is notified.',
    say: 'is notified of, receives, is captured by',
    example: 'The meeting is heard by the bot.',
  },
  {
    id: 'wishes',
    pattern: /\bwish(es)? (of|by|to)\b|\bas wishes\b/i,
    why: 'A signal or a command is a request.',
    say: 'request',
    example: 'Signals as wishes of the life.',
  },
  {
    id: 'go-on',
    pattern: /\b(goes|go|went|going|gone) on\b/i,
    why: 'Three meanings in two short words.',
    say: 'continues, resumes, happens',
    example: 'The recording goes on.',
  },
  {
    id: 'of-its-own',
    pattern: /\bof (its|their|our|his|her|your|my) own\b/i,
    why: 'German word order.',
    say: 'its own …, a separate …',
    example: 'Each bot has a folder of its own.',
  },
  {
    id: 'stands',
    pattern: /\b(stands|stood)\b(?! (for|out|by)\b)|\bstand (in|at|there|here|still|beside)\b/i,
    why: 'Files and values are somewhere; they do not stand.',
    say: 'is, exists, is ready, is written, stalls',
    example: 'The setting stands in the file.',
  },
  {
    id: 'lies',
    pattern: /\b(lies|lay|lying)\b/i,
    why: 'Files are stored; they do not lie.',
    say: 'is, is stored',
    example: 'The recording lies in the bucket.',
  },
  {
    id: 'anew',
    pattern: /\b(afresh|anew)\b/i,
    why: 'Rare words for "again".',
    say: 'again, from the start, a new …',
    example: 'The attempt is made afresh.',
  },
  {
    id: 'nothing-of',
    pattern: /\b(nothing|something|anything|everything) of (?!(the )?kind\b)/i,
    why: 'German word order.',
    say: 'no …, a part of …; "does not depend on" for "knows nothing of"',
    example: 'It knows nothing of the page.',
  },
  {
    id: 'rare-word',
    pattern: /\b(politely|in vain|in step|lest|hither|thereby|therein|thereof|for luck|save for|be it)\b/i,
    why: 'A reader whose third language is English looks it up.',
    say: 'gracefully, without success, in sync, so that … not, except',
    example: 'Both streams are in step.',
  },
  {
    id: 'private-term',
    pattern:
      /\b(stages?|ears|knock(s|ed|ing)?|doors?|chores?|housekeeping|desks?|way back|last resort|ghosts?|last words|grown upload|head room|the life|a life|whole life|lives? of (a|the) bot)\b/i,
    why: 'A private term where the field has one.',
    say: 'see docs/glossary.md: capture environment, audio tap, join request, page state, in-call tasks, rejoin, worker run',
    example: 'The stage stands behind the door.',
  },
  {
    id: 'where-for-if',
    pattern: /(?<!= )\b(null|absent|none|undefined|empty|nothing|true|false),? where\b/i,
    why: '"Where" names a place; a condition needs "if".',
    say: 'if',
    example: 'The time of the event; null where it has none.',
  },
  {
    id: 'long-sentence',
    pattern: /^(\S+\s+){45,}/,
    why: 'More than 45 words in one sentence.',
    say: 'two sentences',
    example: `It ${'reads and writes '.repeat(16)}files.`,
  },
]

/** Rules for names in code. */
export const NAME_RULES: readonly Rule[] = [
  {
    id: 'vague-verb',
    pattern: /^#?(take|tell|hear|sweep|look(?=\(\)))(\(\))?$|^#?(tell|hear|unhear)[A-Z]\w*(\(\))?$/,
    why: 'The verb does not say what the function does.',
    say: 'handle, on…, emit, report, listen, subscribe, dismissDialog, poll',
    example: 'function take(event) {}',
  },
]

/** Rules for every identifier: locals, parameters and properties too. */
export const IDENTIFIER_RULES: readonly Rule[] = [
  {
    id: 'private-word',
    pattern:
      /(?:(?:^#?|_)(?:told|untold|knock(?:ing|s)?|desks?|stages?|door)|Told|Knock(?:ing|s)?|Desks?|Stages?|Door)(?![a-z])/,
    why: 'A private word where the field has a term.',
    say: 'reported, joining, dispatcher, environment or step, join flow',
    example: 'toldAt',
  },
  {
    id: 'prefix-of-limit',
    pattern: /^(MOST|LONGEST|LARGEST|LEAST|SHORTEST|SMALLEST)_/,
    why: 'Limits have two prefixes.',
    say: 'MAX_ or MIN_',
    example: 'LONGEST_NAME',
  },
]

/** Identifiers with such words that Chromium's protocol and the pages of Jitsi, Meet and Teams chose, by file. */
export const IDENTIFIERS_OF_OTHERS: ReadonlyMap<string, RegExp> = new Map([
  ['requestStage', /./],
  ['knocking', /jitsi/],
  ['isKnocking', /jitsi/],
  ['stage', /microsoft-teams/],
])

/** Rules for the first sentence of the comment above an exported function. */
export const SUMMARY_RULES: readonly Rule[] = [
  {
    id: 'summary-without-verb',
    pattern: /^(Of|As|From|At|By(?! default)|With|Than|Beside)\b/,
    why: 'The sentence has no verb, so a reader has to guess what the function does.',
    say: 'start with the verb: "Returns …", "Converts …", "Whether …"',
    example: 'From a date and a time to an instant.',
  },
]

/** Types and files that have a term of the field, which docs/glossary.md explains. */
const RENAMED: Readonly<Record<string, string>> = {
  Attendance: 'MeetingSession',
  WayBack: 'Rejoin',
  FreshEncoder: 'EncoderRestart',
  LeftBehind: 'LeftoverArtifacts',
  Repairs: 'Failover',
  RecordingSwitch: 'PauseControl',
  PictureRelief: 'LoadShedding',
  PictureSteps: 'DegradationSteps',
  SpanJoiner: 'SegmentConcatenator',
  HeldSpan: 'HeldSegment',
  CommandDesk: 'CommandDispatcher',
  ChatDesk: 'ChatSender',
  DeviceKeeper: 'DeviceToggles',
  CaptionKeeper: 'CaptionToggle',
  LastResort: 'UncaughtErrors',
  KeepRunning: 'RestartLoop',
  MakeFolder: 'mkdirs',
  HeadRoom: 'MoovReserve',
  S3Tails: 'S3TailObjects',
  S3GrownUpload: 'S3CompleteUpload',
  PageEars: 'PageAudioCapture',
  Ears: 'AudioTap',
  CarriedSound: 'PageAudioTransport',
  EvenPlayout: 'PlayoutSync',
  NativeLook: 'PatchNative',
  Stage: 'CaptureEnvironment',
  StandingStage: 'CaptureEnvironment',
  VoiceTracks: 'ParticipantTracks',
  VoiceFile: 'ParticipantTrackFile',
  Knock: 'JoinFlow',
  Door: 'JoinFlow',
  WebEntrance: 'JoinFlow',
  SdkAttempt: 'JoinFlow',
  Housekeeping: 'InCallTasks',
  MeetingChores: 'InCallTasks',
  ComingBack: 'InCallTasks',
}

/** Kebab case: the form of a file's name. */
export const kebab = (name: string) => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase()

/** What to call an identifier or a file, by its old name. */
export const NEW_NAMES = new Map(
  Object.entries(RENAMED).flatMap(([name, term]) => [
    [name, term],
    [kebab(name), kebab(term)],
  ]),
)
