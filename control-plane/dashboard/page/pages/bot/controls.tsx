import { Copy } from 'lucide'
import { clock } from '../../../../../packages/page-parts/clock.ts'
import type { Line } from '../../../../../packages/page-parts/lines.tsx'
import { sizeOf } from '../../../../../packages/page-parts/size.ts'
import { answerOf, type Bot, hasEnded, v2 } from '../../api.ts'
import { ActionButton, OutcomeLine, useAction } from '../../parts/action.tsx'
import { nameAndTime } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { Menu } from '../../parts/menu.tsx'
import { copy } from '../../parts/pieces.tsx'
import { may } from '../../session.ts'
import type { StoredFile } from './files.tsx'

const RECORDING = new Set(['in_call_recording', 'recording_resumed'])

interface ControlsProps {
  bot: Bot
  files: readonly StoredFile[]
  /** Of the finished transcript. */
  lines: readonly Line[]
  reload: () => Promise<void>
}

/** What a person can take from the bot, and the commands that a member may send to it in its current state. */
export function Controls({ bot, files, lines, reload }: ControlsProps) {
  const action = useAction()
  const params = { path: { bot_id: bot.bot_id } }
  const requests = {
    pause: () => answerOf(v2.POST('/v2/bots/{bot_id}/pause-recording', { params, body: null })),
    resume: () => answerOf(v2.POST('/v2/bots/{bot_id}/resume-recording', { params, body: null })),
    leave: () => answerOf(v2.POST('/v2/bots/{bot_id}/leave', { params, body: undefined })),
    resend: () => answerOf(v2.POST('/v2/bots/{bot_id}/resend-webhook', { params, body: undefined })),
    remove: () => answerOf(v2.DELETE('/v2/bots/{bot_id}/delete-data', { params })),
  }
  const work = (name: keyof typeof requests) => async () => {
    const { data } = await requests[name]()
    await reload()
    return data.message
  }
  const isEnded = hasEnded(bot)
  return (
    <div class="controls">
      <div class="actions">
        <Downloads bot={bot} files={files} lines={lines} />
        {lines.length > 0 && (
          <button type="button" onClick={() => void copy(textOf(lines), 'The transcript was copied.')}>
            <Icon of={Copy} />
            Copy transcript
          </button>
        )}
        {may('member') && RECORDING.has(bot.status) && (
          <ActionButton of={action} work={work('pause')}>
            Pause recording
          </ActionButton>
        )}
        {may('member') && bot.status === 'recording_paused' && (
          <ActionButton of={action} work={work('resume')}>
            Resume recording
          </ActionButton>
        )}
        {may('member') && !isEnded && bot.status !== 'transcribing' && (
          <ActionButton of={action} work={work('leave')}>
            Leave the meeting
          </ActionButton>
        )}
        {may('member') && isEnded && (
          <Menu label="More actions" isMore>
            <ActionButton of={action} work={work('resend')}>
              Resend the final webhook
            </ActionButton>
            {!bot.artifacts_deleted && (
              <ActionButton
                of={action}
                kind="bad"
                confirmation={`Delete the recording and all data of ${nameAndTime(bot)}? This cannot be undone.`}
                work={work('remove')}
              >
                Delete recording and data
              </ActionButton>
            )}
          </Menu>
        )}
      </div>
      <OutcomeLine of={action} />
    </div>
  )
}

/** In the order in which people want them. */
const DOWNLOADS = {
  'video.mp4': 'Video',
  'audio.m4a': 'Audio',
  text: 'Transcript as text',
  'transcription.srt': 'Transcript as SRT',
}

function Downloads({ bot, files, lines }: Pick<ControlsProps, 'bot' | 'files' | 'lines'>) {
  const name = `${bot.bot_name} ${bot.created_at.slice(0, 10)}`.replace(/[/\\:*?"<>|\p{Cc}]/gu, '-')
  const items = Object.entries(DOWNLOADS).flatMap(([file, title]) => {
    if (file === 'text')
      return lines.length === 0
        ? []
        : [
            <button key={file} type="button" onClick={() => saveText(`${name}.txt`, textOf(lines))}>
              {title}
            </button>,
          ]
    const stored = files.find((one) => one.name === file)
    if (!stored?.url) return []
    return [
      <a key={file} class="button" href={stored.url} download={file}>
        {title} <span class="soft">{sizeOf(stored.bytes)}</span>
      </a>,
    ]
  })
  return items.length > 0 && <Menu label="Download">{items}</Menu>
}

const textOf = (lines: readonly Line[]) =>
  lines.map(({ at, name, text }) => `[${clock(at)}] ${name}: ${text}\n`).join('')

function saveText(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
