import { clearLine, clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline'
import type { ReadStream, WriteStream } from 'node:tty'
import { chatText, MAX_CHAT_LENGTH, MAX_SAY_LENGTH } from '@standin/wire/bot-fields.ts'
import { botCommandSchema } from '@standin/wire/commands.ts'
import { helpOf } from '@standin/wire/error-help.ts'
import type { BotEvent, NumberedEvent } from '@standin/wire/events.ts'
import type { View, ViewActions } from '../main.ts'
import { LiveState } from './live-state.ts'
import { shownText } from './shown-text.ts'
import { colored, LEFT_EARLY, lastLines, sentenceFor } from './view.ts'

const REFRESH_MS = 500
const HELP =
  'A typed line is sent as chat. /say <text>, /pause, /resume, /screenshot, /leave; Ctrl-C leaves, twice leaves at once.'

interface Surroundings {
  /** Otherwise there is no live line. */
  redraws: boolean
  /** The person's files are elsewhere. */
  isContainer: boolean
}

/**
 * For a terminal: what happened scrolls by, one live line at the bottom says how things stand, and what is typed beside
 * it becomes chat.
 */
export function terminalView(
  input: ReadStream,
  output: WriteStream,
  actions: ViewActions,
  { redraws, isContainer }: Surroundings = { redraws: true, isContainer: false },
): View {
  const state = new LiveState()
  /** False once nothing can be typed any more: after the end, Ctrl-D, or when the terminal itself is gone. */
  let hasPrompt = true
  // Otherwise the terminal itself shows what is typed, and turns Ctrl-C into a signal.
  const prompt = createInterface({ input, ...(redraws && { output }), terminal: redraws, historySize: 50 })
  let isChatOff = false
  /** The person asked the bot to leave. */
  let isLeaving = false
  let lastNotice = ''
  const refresh = setInterval(draw, REFRESH_MS)
  prompt.on('SIGINT', () => {
    isLeaving = true
    actions.interrupt()
  })
  prompt.on('close', () => {
    hasPrompt = false
    clearInterval(refresh)
  })
  prompt.on('error', () => {
    // Of a terminal that was closed; SIGHUP says what that means.
  })
  prompt.on('line', (line) => {
    if (redraws) {
      // The live line was left standing beside what was typed.
      const rows = Math.ceil((prompt.getPrompt().length + line.length + 1) / (output.columns ?? 80))
      moveCursor(output, 0, -rows)
      clearScreenDown(output)
      if (line.trim() !== '') print(`> ${shownText(line, MAX_CHAT_LENGTH)}`)
    }
    void runLine(line)
    draw()
  })
  print(HELP)

  return {
    onEvent: ({ event }: NumberedEvent) => {
      state.onEvent(event)
      const sentence = sentenceFor(event)
      if (event.type === 'chat_availability') isChatOff = !event.is_available
      if (sentence !== null && !isRepeated(event)) print(sentence)
      if (event.type === 'status_change' && event.error_code && event.error_code !== LEFT_EARLY)
        print(`  → ${helpOf(event.error_code).cure}`)
    },
    onPartial(partial) {
      state.onPartial(partial)
      draw()
    },
    note: print,
    end: (...end) => {
      for (const line of lastLines(...end, isContainer)) print(line)
    },
    close: () => {
      if (!hasPrompt) return
      clearPromptLine()
      prompt.close()
      input.unref?.()
    },
  }

  /** The same notice with other figures, such as how far the picture was reduced. */
  function isRepeated(event: BotEvent): boolean {
    if (event.type !== 'notice') return false
    const subject = event.message.split(':', 1)[0]!
    const isSame = subject === lastNotice && subject !== event.message
    lastNotice = subject
    return isSame
  }

  async function runLine(line: string): Promise<void> {
    const text = line.trim()
    if (text === '') return
    const said = /^\/say (.+)$/.exec(text)?.[1]
    if (said !== undefined) return say(said)
    const word = /^\/(pause|resume|screenshot|leave|help)$/.exec(text)?.[1]
    if (text.startsWith('/') && word === undefined) return print(`There is no command ${shownText(text, 40)}. ${HELP}`)
    if (word === 'help') return print(HELP)
    if (word === undefined && !chatText.safeParse(text).success)
      return print(`! A chat message has 1 to ${MAX_CHAT_LENGTH} characters.`)
    if (word === 'leave') isLeaving = true
    if (word === undefined && isChatOff) return print('! Chat is off in this meeting: not sent.')
    const answer =
      word === undefined
        ? await actions.command({ type: 'send_chat', message: text })
        : await actions.command({ type: word as 'pause' | 'resume' | 'screenshot' | 'leave' })
    // A step under way when the bot left fails with it.
    if (!answer.ok) print(isLeaving ? '! The bot has left: not done.' : `! ${shownText(answer.message)}`)
    else if (word === 'screenshot') print(`  saved ${shownText(String(answer.data?.name))}`)
  }

  async function say(text: string): Promise<void> {
    const asked = botCommandSchema.safeParse({ type: 'say', text })
    if (!asked.success) return print(`! What the bot says has 1 to ${MAX_SAY_LENGTH} characters.`)
    const answer = await actions.command(asked.data)
    if (!answer.ok) print(isLeaving ? '! The bot has left: not said.' : `! ${shownText(answer.message)}`)
  }

  /** Above the live line, without disturbing what is being typed. */
  function print(text: string): void {
    if (hasPrompt) clearPromptLine()
    output.write(`${colored(text, output)}\n`)
    draw()
  }

  function clearPromptLine(): void {
    if (!redraws) return
    cursorTo(output, 0)
    clearLine(output, 0)
  }

  function draw(): void {
    if (!hasPrompt || !redraws) return
    const width = Math.max(20, (output.columns ?? 80) - 20)
    prompt.setPrompt(`[${state.line(width)}] `)
    prompt.prompt(true)
  }
}
