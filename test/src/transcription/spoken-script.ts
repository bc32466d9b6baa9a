/** A recording of synthetic voices: flite speaks a script, whose lines, times and speakers are known. */

import { execFileSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../fakes/at-end.ts'

const SCRIPT = [
  { speaker: 'Ann Berg', voice: 'slt', text: 'good morning everybody and welcome to the weekly meeting' },
  { speaker: 'Ben', voice: 'rms', text: 'the first thing on the list is the money for next year' },
  { speaker: 'Ann Berg', voice: 'slt', text: 'we need a larger office before the end of the summer' },
]
const GAP_SECONDS = 0.8

export interface Line {
  speaker: string
  start: number
  end: number
  text: string
}

const studio = temporaryFolder()
let recorded: Line[] | null = null

/** `audio.m4a` and `diarization.jsonl` of the script, and where each line is. Made once. */
export function record(place: string): Line[] {
  recorded ??= speakScript(studio)
  for (const name of ['audio.m4a', 'diarization.jsonl']) copyFileSync(join(studio, name), join(place, name))
  return recorded
}

function speakScript(place: string): Line[] {
  let at = GAP_SECONDS
  const lines: Line[] = []
  const inputs: string[] = []
  const delays: string[] = []
  for (const [index, { speaker, voice, text }] of SCRIPT.entries()) {
    const wave = join(place, `line-${index}.wav`)
    execFileSync('flite', ['-voice', voice, '-t', text, '-o', wave])
    const seconds = Number(
      execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', wave]),
    )
    inputs.push('-i', wave)
    delays.push(`[${index}:a]aresample=48000,adelay=${Math.round(at * 1000)}:all=1[a${index}]`)
    lines.push({ speaker, text, start: at, end: at + seconds })
    at += seconds + GAP_SECONDS
  }
  const mix = `${delays.join(';')};${lines.map((_, index) => `[a${index}]`).join('')}amix=inputs=${lines.length}:normalize=0,apad=pad_dur=1`
  const encoding = ['-filter_complex', mix, '-ac', '2', '-b:a', '128k']
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...inputs, ...encoding, join(place, 'audio.m4a')])
  const turns = lines.map(({ speaker, start, end }) => JSON.stringify({ speaker, start_time: start, end_time: end }))
  writeFileSync(join(place, 'diarization.jsonl'), `${turns.join('\n')}\n`)
  return lines
}
