import type { Io } from '../main.ts'
import { terminalView } from './terminal-view.ts'
import { jsonLinesView, type View, type ViewInput } from './view.ts'

/** Live progress in a terminal; JSON lines where a program reads. */
export function openView(io: Io, asJson: boolean, actions: ViewInput): View {
  if (asJson || !io.output.isTTY || !io.input.isTTY) return jsonLinesView(io.output, io.errors)
  return terminalView(io.input, io.output, actions)
}
