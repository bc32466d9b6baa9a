/**
 * Decides who speaks from several weak signals. Pure: time comes in with the evidence, changes come out, and it does
 * not depend on a page or a connection.
 *
 * Rules
 * - Levels of contributing sources (CSRC) are trusted most. One sample above `LEVEL_ON` begins a turn; a turn ends
 *   after `SILENCE_MS` without a sample above `LEVEL_OFF` and is dated back to the last one.
 * - Marks in the page (the frame around a tile, the moving meter) count alone with less confidence, and only when
 *   `PAGE_MARKS_NEEDED` of them come within `PAGE_HOLD_MS`: a single change may be the page redrawing itself.
 * - Where CSRC is healthy for a participant it outweighs page marks: marks then raise the confidence of a turn, they do
 *   not begin or prolong one. Healthy means that rounds of samples keep coming and that this participant's own source
 *   had sound once. Marks that continue for `PAGE_OVERRULES_MS` against silent levels say that the mapping is wrong;
 *   from then on that participant is judged by marks, until levels above `LEVEL_ON` come again. If nobody had such a level
 *   meanwhile, the page takes its sound from elsewhere, and all are judged by marks until then.
 * - Captions count like page marks, with a longer hold, because they come late and in pieces.
 * - A turn is reported with the best signal that it had: levels that confirm a turn of marks become its source.
 * - Silence has to be observed: while the page was stalled, at most for `MAX_STALL_MS`, no participant fell silent.
 * - Several participants may speak at once; each is judged alone.
 */
import type { SpeakerSource } from '../../../../packages/core/meeting/meeting.ts'

/** Level (0 to 1, linear) from which one sample begins a turn. */
export const LEVEL_ON = 0.02
/** Level below which a sample counts as silence; between the two a running turn continues. */
export const LEVEL_OFF = 0.01
/**
 * Silence that ends a turn; shorter pauses are a breath. References of diarization split at 300 ms (NIST's Rich
 * Transcription evaluations), but levels are seen in steps, and a turn that falls to pieces is of less use than one that is whole.
 */
export const SILENCE_MS = 500
/** Rounds further apart than this: the page was stalled. */
const STALL_MS = 300
/** A page that was stalled for longer may have missed the end of a turn and the beginning of the next. */
export const MAX_STALL_MS = 1500
/** Samples closer to each other are one. Milliseconds. */
const SAME_SAMPLE_MS = 1
/** Without a round of levels for this long, CSRC is not healthy, and marks take over the turns that would end soon. */
export const LEVELS_STALE_MS = 1000
/** A page mark counts as speech for this long. */
const PAGE_HOLD_MS = 800
const PAGE_MARKS_NEEDED = 2
/** Unbroken page marks against silent levels that overrule the levels. */
export const PAGE_OVERRULES_MS = 3000
/** A caption counts as speech for this long. */
const CAPTION_HOLD_MS = 1500

export const CONFIDENCE = {
  /** Levels and marks or captions agree. */
  agreed: 0.98,
  csrc: 0.9,
  /** The sound shows when a person spoke, and only a mark shows who it was. */
  mixAndMark: 0.75,
  captions: 0.7,
  page: 0.6,
  /** Marks that continued against silent levels. */
  disputed: 0.5,
  /** One contributing source carries several people and no mark says who of them it is. */
  sharedSource: 0.4,
} as const

/** The level of one contributing source in one round. */
export interface LevelSample {
  /** Whose source it is; several where the platform merges people (one room, one microphone). */
  participantIds: readonly string[]
  /** 0 to 1, linear, as `RTCRtpContributingSource.audioLevel` has it. */
  level: number
  /** Age of the sample at the round's time, milliseconds; 0 when left out. */
  ageMs?: number
  /** For how long this sound had lasted before its owner was known, milliseconds; a turn begins that much earlier. */
  heardForMs?: number
  /**
   * Later rounds may still add evidence for the time since this sample: the turn does not end before the next round.
   * Default false.
   */
  staysOpen?: boolean
  /** `audio_level`: the sound is a mix of all people, and a mark named its owner. Default `csrc`. */
  source?: 'csrc' | 'audio_level'
}

/** One observation. `at` is UTC milliseconds by the observer's own clock. */
type SpeechEvidence =
  /**
   * One round of sampling all audio receivers, to be sent every 100 to 500 ms while there are receivers to read, also
   * when nothing was heard. A participant who is not among `samples` was silent in this round.
   */
  | { kind: 'levels'; samples: readonly LevelSample[]; at: number }
  /** The page's mark of this participant moved (or says "speaking" just now). */
  | { kind: 'page_mark'; participantId: string; at: number }
  /** Caption text of this participant grew. */
  | { kind: 'caption'; participantId: string; at: number }

/** A turn that began or ended; the fields of the `speaking` event of `packages/core/meeting/meeting.ts`. */
export interface SpeechChange {
  participantId: string
  isSpeaking: boolean
  source: SpeakerSource
  /** 0 to 1. Of an ending: the best that the turn reached. */
  confidence: number
  /** UTC milliseconds of the evidence itself: never later than the call that returned it, and dated back at ends. */
  at: number
}

interface Turn {
  source: SpeakerSource
  confidence: number
  lastEvidenceAt: number
  /** Without further evidence the turn is over after this instant. */
  holdsUntil: number
}

interface Known {
  turn: Turn | null
  lastEndAt: number
  /** Marks of the last `PAGE_HOLD_MS`. */
  marks: number[]
  lastCaptionAt: number
  /** This participant's own source was once heard, so its silence means something. */
  wasHeard: boolean
  /** Begin of the unbroken marks since the last loud sample. */
  markRunAt: number | null
  /** Marks continued against silent levels for so long that levels are not believed. */
  isOverruled: boolean
}

export type SpeechDetector = ReturnType<typeof createSpeechDetector>

export function createSpeechDetector() {
  const everybody = new Map<string, Known>()
  let lastRoundAt = Number.NEGATIVE_INFINITY
  let lastLoudAt = Number.NEGATIVE_INFINITY
  let areAllOverruled = false

  function know(id: string): Known {
    let known = everybody.get(id)
    if (!known) {
      known = {
        turn: null,
        lastEndAt: Number.NEGATIVE_INFINITY,
        marks: [],
        lastCaptionAt: Number.NEGATIVE_INFINITY,
        wasHeard: false,
        markRunAt: null,
        isOverruled: false,
      }
      everybody.set(id, known)
    }
    return known
  }

  function levelsAreHealthy(known: Known, at: number): boolean {
    return at - lastRoundAt <= LEVELS_STALE_MS && known.wasHeard && !known.isOverruled && !areAllOverruled
  }

  function onSample(sample: LevelSample, roundAt: number): SpeechChange[] {
    const { participantIds, level } = sample
    const seenAt = roundAt - Math.max(0, sample.ageMs ?? 0)
    const isLoud = level >= LEVEL_ON
    if (isLoud) {
      lastLoudAt = roundAt
      areAllOverruled = false
    }
    if (!isLoud && level < LEVEL_OFF) return []
    const isShared = participantIds.length > 1
    const marked = isShared ? participantIds.filter((id) => isMarked(know(id), roundAt)) : []
    const speakers = marked.length > 0 ? marked : participantIds
    return speakers.flatMap((id) => {
      const known = know(id)
      // Between the two levels a running turn continues, but none begins; nor does a sample of an ended turn begin one.
      if (!known.turn && (!isLoud || seenAt - known.lastEndAt < SAME_SAMPLE_MS)) return []
      if (isLoud && !isShared) {
        known.wasHeard = true
        known.isOverruled = false
        known.markRunAt = null
      }
      const { source = 'csrc', heardForMs = 0, staysOpen = false } = sample
      let confidence: number = isMarked(known, roundAt) ? CONFIDENCE.agreed : CONFIDENCE.csrc
      if (source === 'audio_level') confidence = CONFIDENCE.mixAndMark
      else if (isShared && marked.length === 0) confidence = CONFIDENCE.sharedSource
      const holdMs = SILENCE_MS + (staysOpen ? roundAt - seenAt : 0)
      return speak(id, known, { source, confidence, beganAt: seenAt - heardForMs, seenAt, holdMs })
    })
  }

  function mark(id: string, at: number): SpeechChange[] {
    const known = know(id)
    const lastMarkAt = known.marks.at(-1)
    if (lastMarkAt === undefined || at - lastMarkAt > PAGE_HOLD_MS) known.markRunAt = null
    known.markRunAt ??= at
    known.marks = [...known.marks.filter((earlier) => at - earlier <= PAGE_HOLD_MS), at]
    let beganAt = known.marks[0] ?? at
    if (levelsAreHealthy(known, at)) {
      if (known.turn) {
        if (known.turn.source === 'csrc') known.turn.confidence = CONFIDENCE.agreed
        return []
      }
      if (at - known.markRunAt < PAGE_OVERRULES_MS) return []
      known.isOverruled = true
      areAllOverruled = lastLoudAt < known.markRunAt
      beganAt = known.markRunAt
    }
    if (!known.turn && known.marks.length < PAGE_MARKS_NEEDED) return []
    const confidence = known.isOverruled ? CONFIDENCE.disputed : CONFIDENCE.page
    return speak(id, known, { source: 'page', confidence, beganAt, seenAt: at, holdMs: PAGE_HOLD_MS })
  }

  function caption(id: string, at: number): SpeechChange[] {
    const known = know(id)
    known.lastCaptionAt = at
    if (levelsAreHealthy(known, at)) {
      if (known.turn?.source === 'csrc') known.turn.confidence = CONFIDENCE.agreed
      return []
    }
    return speak(id, known, {
      source: 'captions',
      confidence: CONFIDENCE.captions,
      beganAt: at,
      seenAt: at,
      holdMs: CAPTION_HOLD_MS,
    })
  }

  /** Rounds have not come for a while and may still continue. */
  function isStalled(now: number): boolean {
    return now - lastRoundAt > STALL_MS && now - lastRoundAt <= MAX_STALL_MS
  }

  function tick(now: number): SpeechChange[] {
    const changes: SpeechChange[] = []
    for (const [id, known] of everybody) {
      const { turn } = known
      const goesOn = !turn || now <= turn.holdsUntil || (isByLevels(turn) && isStalled(now))
      if (!goesOn) changes.push(...end(id, known))
    }
    return inOrder(changes)
  }

  /** A time without observations ends no turn. */
  function bridgeStall(at: number): void {
    if (!isStalled(at)) return
    for (const { turn } of everybody.values()) if (turn && isByLevels(turn)) turn.holdsUntil += at - lastRoundAt
  }

  return {
    /** Takes one observation and returns the turns that it begins or ends, oldest first. */
    observe(evidence: SpeechEvidence): SpeechChange[] {
      if (evidence.kind === 'levels') bridgeStall(evidence.at)
      const changes = tick(evidence.at)
      if (evidence.kind === 'page_mark') changes.push(...mark(evidence.participantId, evidence.at))
      else if (evidence.kind === 'caption') changes.push(...caption(evidence.participantId, evidence.at))
      else {
        lastRoundAt = evidence.at
        for (const sample of evidence.samples) changes.push(...onSample(sample, evidence.at))
      }
      return inOrder(changes)
    },
    /** Ends the turns whose time has run out; to be called a few times a second. */
    tick,
    /** The participant left: ends the turn and drops all knowledge of the participant. */
    forget(participantId: string, at: number): SpeechChange[] {
      const known = everybody.get(participantId)
      const changes = known ? [...tick(at), ...end(participantId, known)] : []
      everybody.delete(participantId)
      return inOrder(changes)
    },
    /** Ends every turn and drops all knowledge: after a lost connection or at the end. */
    reset(at: number): SpeechChange[] {
      const changes = [...tick(at), ...[...everybody].flatMap(([id, known]) => end(id, known))]
      everybody.clear()
      lastRoundAt = Number.NEGATIVE_INFINITY
      return inOrder(changes)
    },
    /** By participant, when the sound was last heard of each turn that levels show. UTC milliseconds. */
    heard: (): Map<string, number> =>
      new Map(
        [...everybody].flatMap(([id, { turn }]) => (turn && isByLevels(turn) ? [[id, turn.lastEvidenceAt]] : [])),
      ),
    speaking: (): string[] => [...everybody].filter(([, known]) => known.turn !== null).map(([id]) => id),
  }
}

function end(id: string, known: Known): SpeechChange[] {
  const { turn } = known
  if (!turn) return []
  known.turn = null
  known.lastEndAt = turn.lastEvidenceAt
  const { source, confidence, lastEvidenceAt: at } = turn
  return [{ participantId: id, isSpeaking: false, source, confidence, at }]
}

/** Begins a turn at `beganAt` or prolongs the running one with evidence of `seenAt`. */
function speak(
  id: string,
  known: Known,
  evidence: { source: SpeakerSource; confidence: number; beganAt: number; seenAt: number; holdMs: number },
): SpeechChange[] {
  const { source, confidence, seenAt, holdMs } = evidence
  if (known.turn) {
    known.turn.lastEvidenceAt = Math.max(known.turn.lastEvidenceAt, seenAt)
    known.turn.holdsUntil = Math.max(known.turn.holdsUntil, seenAt + holdMs)
    if (confidence > known.turn.confidence) {
      known.turn.confidence = confidence
      known.turn.source = source
    }
    return []
  }
  const at = Math.max(evidence.beganAt, known.lastEndAt)
  known.turn = { source, confidence, lastEvidenceAt: Math.max(at, seenAt), holdsUntil: seenAt + holdMs }
  return [{ participantId: id, isSpeaking: true, source, confidence, at }]
}

function isMarked(known: Known, at: number): boolean {
  const lastMarkAt = known.marks.at(-1) ?? Number.NEGATIVE_INFINITY
  return at - lastMarkAt <= PAGE_HOLD_MS || at - known.lastCaptionAt <= CAPTION_HOLD_MS
}

function isByLevels({ source }: Turn): boolean {
  return source === 'csrc' || source === 'audio_level'
}

function inOrder(changes: SpeechChange[]): SpeechChange[] {
  return changes.sort((one, other) => one.at - other.at)
}
