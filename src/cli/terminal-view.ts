import { clearLine, createInterface, cursorTo } from 'node:readline'
import type { ReadStream, WriteStream } from 'node:tty'
import type { NumberedEvent } from '@standin/wire/events.ts'
import { chatText, MAX_CHAT_LENGTH } from '@standin/wire/job.ts'
import type { View, ViewActions } from '../main.ts'
import { LiveState } from './live-state.ts'
import { shownText } from './shown-text.ts'
import { sentenceFor } from './view.ts'

const REFRESH_MS = 500
const HELP = 'A typed line is sent as chat. /pause, /resume, /screenshot, /leave; Ctrl-C leaves, twice leaves at once.'

/**
 * For a terminal: what happened scrolls by, one live line at the bottom says how things stand, and what is typed beside
 * it becomes chat.
 */
export function terminalView(input: ReadStream, output: WriteStream, actions: ViewActions): View {
  const state = new LiveState()
  /** False once nothing can be typed any more: after the end, Ctrl-D, or when the terminal itself is gone. */
  let hasPrompt = true
  const prompt = createInterface({ input, output, terminal: true, historySize: 50 })
  const refresh = setInterval(draw, REFRESH_MS)
  prompt.on('SIGINT', () => actions.interrupt())
  prompt.on('close', () => {
    hasPrompt = false
    clearInterval(refresh)
  })
  prompt.on('error', () => {
    // Of a terminal that was closed; SIGHUP says what that means.
  })
  prompt.on('line', (line) => {
    void runLine(line)
    draw()
  })
  print(HELP)

  return {
    onEvent: ({ event }: NumberedEvent) => {
      state.onEvent(event)
      const sentence = sentenceFor(event)
      if (sentence !== null) print(sentence)
    },
    onPartial(partial) {
      state.onPartial(partial)
      draw()
    },
    note: print,
    close: () => {
      if (!hasPrompt) return
      clearPromptLine()
      prompt.close()
      input.unref?.()
    },
  }

  async function runLine(line: string): Promise<void> {
    const text = line.trim()
    if (text === '') return
    const word = /^\/(pause|resume|screenshot|leave|help)$/.exec(text)?.[1]
    if (text.startsWith('/') && word === undefined) return print(`There is no command ${shownText(text, 40)}. ${HELP}`)
    if (word === 'help') return print(HELP)
    if (word === undefined && !chatText.safeParse(text).success)
      return print(`! A chat message has 1 to ${MAX_CHAT_LENGTH} characters.`)
    const answer =
      word === undefined
        ? await actions.command({ type: 'send_chat', message: text })
        : await actions.command({ type: word as 'pause' | 'resume' | 'screenshot' | 'leave' })
    if (!answer.ok) print(`! ${shownText(answer.message)}`)
    else if (word === 'screenshot') print(`  saved ${shownText(String(answer.data?.name))}`)
  }

  /** Above the live line, without disturbing what is being typed. */
  function print(text: string): void {
    if (hasPrompt) clearPromptLine()
    output.write(`${text}\n`)
    draw()
  }

  function clearPromptLine(): void {
    cursorTo(output, 0)
    clearLine(output, 0)
  }

  function draw(): void {
    if (!hasPrompt) return
    const width = Math.max(20, (output.columns ?? 80) - 20)
    prompt.setPrompt(`[${state.line(width)}] `)
    prompt.prompt(true)
  }
}
