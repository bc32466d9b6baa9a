import type { Io } from '@standin/wire/process/command-io.ts'
import type { OpenView } from '../main.ts'
import { terminalView } from './terminal-view.ts'
import { jsonLinesView } from './view.ts'

/** Live progress in a terminal; JSON lines where a program reads. */
export function viewOpener(io: Io, asJson: boolean): OpenView {
  if (asJson || !io.output.isTTY || !io.input.isTTY) return () => jsonLinesView(io.output, io.errors)
  return (actions) => terminalView(io.input, io.output, actions)
}
