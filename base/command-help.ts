/** How the help of every command looks. */
import { styleText } from 'node:util'

/** The library of the commands removes the colors again where NO_COLOR, or no terminal, asks for that. */
const styled =
  (format: Parameters<typeof styleText>[0]) =>
  (text: string): string =>
    styleText(format, text, { validateStream: false })

/** For `configureHelp`. */
export const helpStyle = {
  showGlobalOptions: true,
  styleTitle: styled('bold'),
  styleCommandText: styled('cyan'),
  styleSubcommandText: styled('cyan'),
  styleOptionTerm: styled('cyan'),
  styleArgumentTerm: styled('cyan'),
}
