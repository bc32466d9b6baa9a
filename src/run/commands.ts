/** Handles commands to a running bot. Each command gets exactly one answer. */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BotCommand, CommandErrorCode } from '@standin/wire/commands.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { inTurn } from '@standin/wire/time/in-turn.ts'
import { ChatUnavailable } from '../../packages/core/errors.ts'
import type { Agent, CommandAnswer, InMeeting, LiveTranscript, Mouth, Streaming } from '../../packages/core/ports.ts'
import { writeWholeFile } from '../../packages/core/process/atomic-file.ts'
import type { StopRequester } from '../../packages/core/process/stop-requests.ts'
import type { BotChat } from './bot-chat.ts'
import type { PauseControl } from './pause-control.ts'
import type { Saying } from './saying.ts'
import type { Showing } from './showing.ts'
import { IN_CALL, RECORDING } from './states.ts'
import type { StatusReport } from './status.ts'

export interface CommandParts {
  status: StatusReport
  recording: PauseControl
  streaming: Streaming | null
  liveTranscript: LiveTranscript | null
  chat: BotChat
  saying: Saying
  showing: Showing
  mouth: Pick<Mouth, 'isStarted'>
  agent: Agent | null
  workFolder: string
  /** `isOpen`: its page is there, though it may be that of a waiting room. */
  meeting: InMeeting & { readonly isOpen: boolean }
  /** Stores a file of the work folder and reports it. Rejects if it could not be stored. */
  storeNow(name: string): Promise<void>
  stop(askedBy: StopRequester): void
}

const LIVE_SCREENSHOT = 'screenshots/live.png'
const MAX_LIVE_SCREENSHOT_BYTES = 8 * 1024 * 1024

export function answerCommands(parts: CommandParts): (command: BotCommand) => Promise<CommandAnswer> {
  const { status, recording, streaming, liveTranscript, agent, meeting } = parts
  let screenshots = 0
  // Pausing and resuming stop and start the encoder; one at a time, in the order they came.
  const inRecorderTurn = inTurn(1)

  return async (command) => {
    switch (command.type) {
      case 'leave':
        if (status.state === 'completed' || status.state === 'failed') return wrongStatus('leave')
        parts.stop('command')
        return { ok: true }
      case 'send_chat':
        return sendChat(command.message)
      case 'pause':
        return inRecorderTurn(() => pause(command.chat_message ?? null))
      case 'resume':
        return inRecorderTurn(() => resume(command.chat_message ?? null))
      case 'screenshot':
        return command.live ? liveScreenshot() : screenshot()
      case 'say':
        return say(command)
      case 'stop_saying':
        if (!IN_CALL.has(status.state)) return wrongStatus('stop what it says')
        agent?.hush()
        await parts.saying.stop()
        return { ok: true }
      case 'show_page':
        return showPage(command)
      case 'stop_page':
        if (!IN_CALL.has(status.state)) return wrongStatus('stop its page')
        await parts.showing.stop(command.target ?? 'camera')
        return { ok: true }
      case 'agent':
        return switchAgent(command.enabled)
    }
  }

  async function sendChat(text: string): Promise<CommandAnswer> {
    if (!IN_CALL.has(status.state)) return wrongStatus('write into the chat')
    try {
      await parts.chat.send(meeting, text)
      return { ok: true }
    } catch (error) {
      if (error instanceof ChatUnavailable) return refused('FST_ERR_CHAT_DISABLED', error.message)
      return refused('FST_ERR_SEND_CHAT_MESSAGE_FAILED', messageOf(error))
    }
  }

  async function say({ type, ...request }: Extract<BotCommand, { type: 'say' }>): Promise<CommandAnswer> {
    // What it says belongs into the recording.
    if (!(IN_CALL.has(status.state) && parts.mouth.isStarted)) return wrongStatus('speak')
    try {
      return { ok: true, data: { ...(await parts.saying.say(request)) } }
    } catch (error) {
      return refused('COMMAND_FAILED', messageOf(error))
    }
  }

  async function showPage({
    url,
    target = 'camera',
  }: Extract<BotCommand, { type: 'show_page' }>): Promise<CommandAnswer> {
    if (!IN_CALL.has(status.state)) return wrongStatus('show a page')
    try {
      await parts.showing.show(target, url)
      return { ok: true }
    } catch (error) {
      return refused('COMMAND_FAILED', messageOf(error))
    }
  }

  async function switchAgent(isEnabled: boolean): Promise<CommandAnswer> {
    if (!IN_CALL.has(status.state)) return wrongStatus('switch its agent')
    if (agent === null) return refused('COMMAND_FAILED', 'The bot has no agent.')
    try {
      await agent.setEnabled(isEnabled)
      return { ok: true }
    } catch (error) {
      return refused('COMMAND_FAILED', messageOf(error))
    }
  }

  async function pause(chatMessage: string | null): Promise<CommandAnswer> {
    if (!RECORDING.has(status.state)) return wrongStatus('pause')
    // Audio from now on is dropped.
    streaming?.pause()
    liveTranscript?.pause()
    agent?.pause()
    try {
      await recording.rest('command')
    } catch (error) {
      streaming?.resume()
      liveTranscript?.resume()
      agent?.resume()
      return refused('COMMAND_FAILED', messageOf(error))
    }
    // The meeting may have ended while the encoder stopped.
    if (RECORDING.has(status.state)) status.enter('recording_paused')
    return chatMessage === null ? { ok: true } : withChat(chatMessage)
  }

  async function resume(chatMessage: string | null): Promise<CommandAnswer> {
    if (status.state !== 'recording_paused') return wrongStatus('resume')
    try {
      await recording.goOn('command')
    } catch (error) {
      return refused('COMMAND_FAILED', messageOf(error))
    }
    if (status.state === 'recording_paused') status.enter('recording_resumed')
    streaming?.resume()
    liveTranscript?.resume()
    agent?.resume()
    // A crashed part is being replaced; recording resumes when that is done.
    const waits = recording.isBroken ? { data: { recording_waits: true } } : {}
    return chatMessage === null ? { ok: true, ...waits } : withChat(chatMessage)
  }

  /** The command succeeded; a chat message that could not be sent is reported as a notice, not as a failure. */
  async function withChat(text: string): Promise<CommandAnswer> {
    const answer = await sendChat(text)
    return { ok: true, data: { chat_message_sent: answer.ok } }
  }

  async function screenshot(): Promise<CommandAnswer> {
    if (!meeting.isOpen && !IN_CALL.has(status.state)) return wrongStatus('take a screenshot')
    try {
      const picture = await meeting.screenshot()
      screenshots += 1
      return await keepScreenshot(`screenshots/${String(screenshots).padStart(4, '0')}.png`, picture)
    } catch (error) {
      return refused('COMMAND_FAILED', messageOf(error))
    }
  }

  /** Others look at the picture while the bot is in the meeting, so it is stored before the answer. */
  async function liveScreenshot(): Promise<CommandAnswer> {
    if (!IN_CALL.has(status.state)) return wrongStatus('take a live screenshot')
    try {
      const picture = await meeting.screenshot()
      if (picture.byteLength > MAX_LIVE_SCREENSHOT_BYTES)
        return refused('COMMAND_FAILED', `The screenshot has ${picture.byteLength} bytes, which is too large.`)
      const answer = await keepScreenshot(LIVE_SCREENSHOT, picture)
      await parts.storeNow(LIVE_SCREENSHOT)
      return answer
    } catch (error) {
      return refused('COMMAND_FAILED', messageOf(error))
    }
  }

  async function keepScreenshot(name: string, picture: Uint8Array): Promise<CommandAnswer> {
    await mkdir(join(parts.workFolder, 'screenshots'), { recursive: true, mode: 0o700 })
    await writeWholeFile(join(parts.workFolder, name), picture)
    return { ok: true, data: { name, bytes: picture.byteLength } }
  }

  function wrongStatus(what: string): CommandAnswer {
    return refused('FST_ERR_BOT_STATUS', `The bot cannot ${what} while its status is ${status.state}.`)
  }
}

function refused(code: CommandErrorCode, message: string): CommandAnswer {
  return { ok: false, code, message }
}
