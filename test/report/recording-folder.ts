/** A folder as a bot leaves it, with people who try what their names can do. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ReportFacts } from '../../src/ports.ts'

export const HOSTILE = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">'

export const FACTS: ReportFacts = {
  meetingUrl: 'https://meet.google.com/abc-defg-hij?pwd=secret',
  botName: 'Standin',
  startedAt: Date.parse('2026-11-21T09:30:00.000Z'),
  seconds: 20,
  end: 'Everybody else has left the meeting.',
  files: ['video.mp4', 'audio.m4a'],
  bytes: 2_500_000,
  framesPerSecond: 25,
  repeatedFrames: 5,
  pauses: 1,
}

const visit = (from: number | null, to: number | null) => ({ joined_offset: from, left_offset: to })

export function recordingFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'standin report '))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const people = [
    { id: 1, name: 'Ann Berg', is_host: true, visits: [visit(null, 20)] },
    { id: 2, name: HOSTILE, visits: [visit(1, 9), visit(12, null)] },
    { id: 3, name: 'Ann Berg', visits: [visit(0, 20)] },
  ]
  const turns = [
    { speaker: 'Ann Berg', user_id: 1, start_time: 0, end_time: 4 },
    { speaker: HOSTILE, user_id: 2, start_time: 5, end_time: 8 },
    { speaker: 'Ann Berg', user_id: 3, start_time: 6, end_time: 18 },
  ]
  const chat = [
    { sender_name: HOSTILE, offset: 7, text: `Look: ${HOSTILE}`, is_own: false },
    { sender_name: 'Standin', offset: null, text: 'Hello', is_own: true },
  ]
  writeFileSync(join(folder, 'participants.json'), JSON.stringify(people))
  writeFileSync(join(folder, 'diarization.jsonl'), turns.map((turn) => `${JSON.stringify(turn)}\n`).join(''))
  writeFileSync(join(folder, 'chat_messages.json'), JSON.stringify(chat))
  return folder
}

/** Twenty seconds that play and seek. */
export function addVideo(folder: string): void {
  const picture = ['-f', 'lavfi', '-i', 'testsrc=size=320x180:rate=10:duration=20']
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=300:duration=20']
  const coding = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    'aac',
    '-movflags',
    '+faststart',
  ]
  execFileSync('ffmpeg', ['-v', 'error', ...picture, ...sound, ...coding, join(folder, 'video.mp4')])
}
