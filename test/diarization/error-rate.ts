/**
 * The error of a statement of who spoke when: the diarization error rate as NIST's Rich Transcription evaluations
 * define it
 * and their tool `md-eval` computes it (NIST, "The 2009 (RT-09) Rich Transcription Meeting Recognition Evaluation
 * Plan").
 * It is missed speech, false alarms and speech attributed to another speaker, over all speech. Where several speak at
 * once, each of them counts. A stretch around every boundary of the reference, the collar, is not judged.
 *
 * Unlike there, speakers are not matched so that the error becomes least: a wrong name is an error. Only speakers with
 * the
 * same name are matched with each other in the best way, because the stored data does not identify them. Pure.
 */

/** The speech of one participant; seconds. */
export interface SpokenTurn {
  /** Tells people apart, of one name too. */
  speaker: string | number
  name: string
  start: number
  end: number
}

/** Seconds of speech, except for `rate`. */
export interface DiarizationError {
  /** Of the reference, as far as it is judged; two who speak at once for a second are two seconds. */
  total: number
  missed: number
  falseAlarm: number
  /** Detected, and attributed to another participant. */
  confused: number
  /** The three over `total`; 0 if nothing was to be heard and nothing was. */
  rate: number
}

/** Half of the width of the stretch that is not judged, seconds. */
const COLLAR_SECONDS = 0.25

export function diarizationError(
  reference: readonly SpokenTurn[],
  stated: readonly SpokenTurn[],
  collarSeconds = COLLAR_SECONDS,
): DiarizationError {
  const truth = joined(reference)
  const found = joined(stated)
  const boundaries = truth.flatMap(({ start, end }) => [start, end])
  const isJudged = (at: number) => boundaries.every((boundary) => Math.abs(at - boundary) >= collarSeconds)
  const cuts = [...truth, ...found].flatMap(({ start, end }) => [start, end])
  cuts.push(...boundaries.flatMap((boundary) => [boundary - collarSeconds, boundary + collarSeconds]))
  const times = [...new Set(cuts)].sort((one, other) => one - other)
  const pieces = times.slice(1).flatMap((end, index) => {
    const middle = (times[index]! + end) / 2
    if (!isJudged(middle)) return []
    const speakers = (turns: readonly SpokenTurn[]) =>
      new Set(turns.filter((turn) => turn.start <= middle && middle < turn.end).map(({ speaker }) => speaker))
    return [{ seconds: end - times[index]!, spoke: speakers(truth), stated: speakers(found) }]
  })

  const same = matchedByName(truth, found, (one, other) =>
    sum(pieces.map(({ seconds, spoke, stated: reported }) => (spoke.has(one) && reported.has(other) ? seconds : 0))),
  )
  const parts = pieces.map(({ seconds, spoke, stated: reported }) => {
    const right = [...spoke].filter((speaker) => same.has(speaker) && reported.has(same.get(speaker)!)).length
    return {
      total: seconds * spoke.size,
      missed: seconds * Math.max(0, spoke.size - reported.size),
      falseAlarm: seconds * Math.max(0, reported.size - spoke.size),
      confused: seconds * (Math.min(spoke.size, reported.size) - right),
    }
  })
  const total = sum(parts.map((part) => part.total))
  const missed = sum(parts.map((part) => part.missed))
  const falseAlarm = sum(parts.map((part) => part.falseAlarm))
  const confused = sum(parts.map((part) => part.confused))
  const wrong = missed + falseAlarm + confused
  return { total, missed, falseAlarm, confused, rate: wrong === 0 ? 0 : total === 0 ? Infinity : wrong / total }
}

/** Turns of one speaker that touch or overlap are one. */
function joined(turns: readonly SpokenTurn[]): SpokenTurn[] {
  const made: SpokenTurn[] = []
  for (const turn of [...turns].sort((one, other) => one.start - other.start)) {
    const last = made.findLast(({ speaker }) => speaker === turn.speaker)
    if (last && turn.start <= last.end) last.end = Math.max(last.end, turn.end)
    else if (turn.end > turn.start) made.push({ ...turn })
  }
  return made
}

/** Who of the reference is who of the statement: the one of the same name; of several, so that most speech agrees. */
function matchedByName(
  truth: readonly SpokenTurn[],
  found: readonly SpokenTurn[],
  agreedSeconds: (one: SpokenTurn['speaker'], other: SpokenTurn['speaker']) => number,
): Map<SpokenTurn['speaker'], SpokenTurn['speaker']> {
  const matched = new Map<SpokenTurn['speaker'], SpokenTurn['speaker']>()
  for (const name of new Set(truth.map((turn) => turn.name))) {
    const speakersOf = (turns: readonly SpokenTurn[]) => [
      ...new Set(turns.filter((turn) => turn.name === name).map(({ speaker }) => speaker)),
    ]
    const namesakes = speakersOf(truth)
    let best = { seconds: -1, order: [] as (SpokenTurn['speaker'] | undefined)[] }
    for (const order of orders(speakersOf(found), namesakes.length)) {
      const seconds = sum(
        namesakes.map((one, index) => (order[index] === undefined ? 0 : agreedSeconds(one, order[index]))),
      )
      if (seconds > best.seconds) best = { seconds, order }
    }
    namesakes.forEach((one, index) => {
      const other = best.order[index]
      if (other !== undefined) matched.set(one, other)
    })
  }
  return matched
}

/** All ways to put these people on so many places, some of which may stay empty. */
function orders<Item>(items: readonly Item[], places: number): (Item | undefined)[][] {
  if (places === 0) return [[]]
  const mayBeEmpty = items.length < places ? [undefined] : []
  return [...items, ...mayBeEmpty].flatMap((item) =>
    orders(
      items.filter((other) => other !== item),
      places - 1,
    ).map((rest) => [item, ...rest]),
  )
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
