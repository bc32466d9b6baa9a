/** Environment of a program that a test starts from its sources. It is compiled once for all tests: that halves its start. */
export const PROGRAM_ENVIRONMENT = {
  PATH: process.env.PATH ?? '',
  ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
}

/** Gives a bot this environment too: its launcher passes on no variable that a bot does not need. */
export const compiledOnce = (command: string): string =>
  PROGRAM_ENVIRONMENT.NODE_COMPILE_CACHE
    ? `/usr/bin/env NODE_COMPILE_CACHE=${PROGRAM_ENVIRONMENT.NODE_COMPILE_CACHE} ${command}`
    : command
