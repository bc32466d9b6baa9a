/** How the help of every command looks. */
import { styleText } from 'node:util'

/** The library of the commands removes the colors again if NO_COLOR is set or there is no terminal. */
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
