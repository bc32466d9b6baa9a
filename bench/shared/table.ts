/** The figures as a table in Markdown. */

import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { beepsIn, offsets, soundOf } from '../../test/media/meeting-recording.ts'
import { median, worst } from '../../test/media/statistics.ts'
import type { Measured } from './measured.ts'
import { checkPicture } from './picture-check.ts'

export interface Row {
  name: string
  note: string
  cores: number
  megabytes: number
  roles: Map<string, number>
  /**
   * Shares (0 to 1): of the recorder's frames, those that it missed; of the camera's frames, those that the recording
   * does not contain.
   */
  missedShare: number | null
  lostShare: number | null
  /** Median and worst of sound against picture, milliseconds. */
  offset: [number, number] | null
  bytesPerMinute: number | null
  secondsToFile: number | null
}

export async function rowOf({
  contender,
  cost,
  file,
  from,
  until,
  secondsToFile,
  repeatedFrames,
}: Measured): Promise<Row> {
  const { name, note } = contender
  const row = { name, note, ...cost, lostShare: null, missedShare: null, offset: null, secondsToFile }
  if (file === null) return { ...row, bytesPerMinute: null }
  const bytesPerMinute = (statSync(file).size / until) * 60
  if (contender.framesPerSecond === null) return { ...row, bytesPerMinute }
  const { lostShare, framesPerSecond, flashes } = await checkPicture(file, from, until)
  const apart = offsets(flashes, beepsIn(await soundOf(file)))
  const offset: [number, number] | null = apart.length === 0 ? null : [median(apart), worst(apart)]
  // Most recorders leave out a frame that they missed. A recorder that repeats the one before reports how often it did.
  const missedShare =
    repeatedFrames === null
      ? Math.max(0, 1 - framesPerSecond / contender.framesPerSecond)
      : repeatedFrames / ((until - from) * contender.framesPerSecond)
  return { ...row, bytesPerMinute, lostShare, missedShare, offset }
}

/** Several measurements of one contender as one: costs are averaged, quality is the worst of all. */
export function together(rows: readonly Row[]): Row {
  const [first] = rows as [Row]
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const meanOf = (pick: (row: Row) => number | null) => {
    const values = rows.map(pick).filter((value) => value !== null)
    return values.length === 0 ? null : mean(values)
  }
  const lost = rows.map(({ lostShare }) => lostShare).filter((value) => value !== null)
  const apart = rows.map(({ offset }) => offset).filter((value) => value !== null)
  const roles = new Map<string, number>()
  for (const row of rows)
    for (const [role, cores] of row.roles) roles.set(role, (roles.get(role) ?? 0) + cores / rows.length)
  return {
    ...first,
    cores: mean(rows.map(({ cores }) => cores)),
    megabytes: mean(rows.map(({ megabytes }) => megabytes)),
    roles,
    lostShare: lost.length === 0 ? null : Math.max(...lost),
    missedShare: meanOf(({ missedShare }) => missedShare),
    offset: apart.length === 0 ? null : [median(apart.map(([middle]) => middle)), worst(apart.map(([, most]) => most))],
    bytesPerMinute: meanOf(({ bytesPerMinute }) => bytesPerMinute),
    secondsToFile: meanOf(({ secondsToFile }) => secondsToFile),
  }
}

/** Names of the rows that others are compared with. */
export interface Comparison {
  pageAlone: string
  pageWithoutCameras: string
  soundOnly: string
  own: readonly string[]
}

export function tableOf(rows: readonly Row[], compared: Comparison, conditions: string): string {
  const alone = rows.find(({ name }) => name === compared.pageAlone)
  const number = (value: number | null, digits = 1) => (value === null ? '–' : value.toFixed(digits))
  const percent = (share: number | null) => (share === null ? '–' : `${(share * 100).toFixed(1)} %`)
  const signed = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`
  const lines = rows.map((row) => [
    row.name,
    row.cores.toFixed(2),
    alone ? `${(row.cores / alone.cores).toFixed(2)}` : '–',
    alone ? signed(row.cores - alone.cores) : '–',
    row.megabytes.toFixed(0),
    percent(row.missedShare),
    percent(row.lostShare),
    row.offset === null ? '–' : row.offset.map((value) => value.toFixed(0)).join(' / '),
    row.bytesPerMinute === null ? '–' : (row.bytesPerMinute / 1e6).toFixed(1),
    number(row.secondsToFile),
  ])
  const head = [
    ...['pipeline', 'cores', '× page', '− page', 'MB (PSS)', 'frames missed', 'camera frames lost'],
    ...['sound − picture, ms (median / worst)', 'MB/min', 's to file'],
  ]
  const byRole = rows.map((row) => {
    const parts = [...row.roles]
      .filter(([, cores]) => cores >= 0.005)
      .map(([role, cores]) => `${role} ${cores.toFixed(2)}`)
    return [row.name, parts.join(', ')]
  })
  return [
    `${availableParallelism()} cores, ${conditions}`,
    '',
    ...markdown(head, lines),
    '',
    ...summary(rows, compared).map((line) => `- ${line}`),
    '',
    'Where the CPU goes, in cores:',
    '',
    ...markdown(['pipeline', 'by process'], byRole),
  ].join('\n')
}

function summary(rows: readonly Row[], compared: Comparison): string[] {
  const row = (name: string) => rows.find((one) => one.name === name)
  const notPeers = [compared.pageAlone, compared.pageWithoutCameras, ...compared.own]
  const peers = rows.filter(({ name }) => !notPeers.includes(name))
  const best = peers.toSorted((one, other) => one.cores - other.cores)[0]
  const lines: string[] = []
  for (const name of compared.own) {
    const own = row(name)
    if (own === undefined || best === undefined || name === compared.soundOnly) continue
    lines.push(
      `${name} takes ${(own.cores / best.cores).toFixed(2)} of the CPU of the cheapest of the others, ${best.name}.`,
    )
  }
  const sound = row(compared.soundOnly)
  const page = row(compared.pageWithoutCameras)
  if (sound && page) {
    const [cores, megabytes] = [sound.cores - page.cores, sound.megabytes - page.megabytes]
    lines.push(`${sound.name} takes ${cores.toFixed(2)} core and ${megabytes.toFixed(0)} MB beyond ${page.name}.`)
  }
  return lines
}

export function markdown(head: readonly string[], lines: readonly (readonly string[])[]): string[] {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [row(head), row(head.map(() => '---')), ...lines.map(row)]
}

/** Of milliseconds: median, 95th percentile, and how many they are. */
export function withP95(all: readonly number[]): string {
  const p95 = all.toSorted((one, other) => one - other)[Math.floor(all.length * 0.95)] ?? Number.NaN
  return `${median(all).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms (${all.length})`
}
