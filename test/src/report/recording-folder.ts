/** A folder as a bot leaves it, with people who try what their names can do. */

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReportFacts } from '../../../packages/core/ports.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

export const HOSTILE = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">'

export const FACTS: ReportFacts = {
  platform: 'meet',
  meetingId: 'abc-defg-hij',
  botName: 'Standin',
  startedAt: Date.parse('2026-11-21T09:30:00.000Z'),
  seconds: 20,
  end: 'All other participants have left the meeting.',
  files: ['video.mp4', 'audio.m4a'],
  bytes: 2_500_000,
  quality: {
    sound_picture_offset_ms: -14.2,
    drift_ms: 3,
    frames_expected: 500,
    frames_captured: 495,
    frames_lost: 5,
    longest_gap_seconds: 0.12,
    clipped_share: 0,
    silent_share: 0.25,
    encoder_lag_ms: { median: 60, worst: 210 },
    picture_steps: [
      { offset: 4, frames_per_second: null, size: 0.5 },
      { offset: 9, frames_per_second: null, size: 1 },
    ],
    speech_without_name_seconds: 3.2,
    first_unnamed_at: 11,
    doubtful_seconds: 0.5,
    first_doubtful_at: 3661.9,
  },
  gaps: [
    {
      started_at: '2026-11-21T09:30:08.000Z',
      ended_at: '2026-11-21T09:30:16.200Z',
      offset: 8,
      seconds: 8.2,
      reason: 'browser_died',
    },
  ],
  pauses: 1,
}

const visit = (from: number | null, to: number | null) => ({ joined_offset: from, left_offset: to })

export function recordingFolder(): string {
  const folder = temporaryFolder('standin report ')
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
    { message_id: 'own-1', sender_name: 'Standin', offset: null, text: 'Hello', is_own: true },
    {
      message_id: '3',
      sender_name: 'Ann Berg',
      offset: 9,
      text: 'Your bank has the plan',
      is_own: false,
      is_direct: true,
      edited_at: '2026-11-21T09:30:10.000Z',
      reply_to: 'own-1',
      links: [
        { text: 'Your bank', url: 'https://elsewhere.example/' },
        { text: 'a trap', url: 'javascript:window.hacked=1' },
      ],
      files: [{ name: `plan ${HOSTILE}.pdf`, url: null, bytes: 12_345 }],
      reactions: [{ emoji: '👍', count: 2, user_ids: [1] }],
    },
    { sender_name: 'Ann Berg', offset: 10, text: '', is_own: false, deleted_at: '2026-11-21T09:30:12.000Z' },
  ]
  const signs = [
    { type: 'hand', is_raised: true, name: 'Ann Berg', user_id: 3, offset: 11 },
    { type: 'reaction', emoji: '🎉', name: HOSTILE, user_id: null, offset: 12 },
  ]
  writeFileSync(join(folder, 'participants.json'), JSON.stringify(people))
  writeFileSync(join(folder, 'diarization.jsonl'), turns.map((turn) => `${JSON.stringify(turn)}\n`).join(''))
  writeFileSync(join(folder, 'chat_messages.json'), JSON.stringify(chat))
  writeFileSync(join(folder, 'reactions.jsonl'), signs.map((sign) => `${JSON.stringify(sign)}\n`).join(''))
  return folder
}

/** Twenty seconds that play and seek, and their poster. */
export function addVideo(folder: string): void {
  const picture = ['-f', 'lavfi', '-i', 'testsrc=size=320x180:rate=10:duration=20']
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=300:duration=20']
  const coding = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac -movflags +faststart'.split(' ')
  execFileSync('ffmpeg', ['-v', 'error', ...picture, ...sound, ...coding, join(folder, 'video.mp4')])
  execFileSync('ffmpeg', ['-v', 'error', ...picture, '-frames:v', '1', join(folder, 'poster.jpg')])
}
