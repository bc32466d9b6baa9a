/** How the text of an option is read, for several commands. */
import { TRANSCRIPTION_PROVIDERS, transcriptionProvider } from '@standin/wire/job.ts'
import { InvalidArgumentError, Option } from 'commander'

export function wholeNumber(option: Option, min: number, max = Number.MAX_SAFE_INTEGER): Option {
  return option.argParser((text) => {
    const isValid = /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max
    if (!isValid) throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
    return Number(text)
  })
}

const PROVIDERS = TRANSCRIPTION_PROVIDERS.map((name) => name.toLowerCase()).join(', ')

/** The speech service that makes a transcript. */
export function providerOption(flags: string): Option {
  const help = `${PROVIDERS}; default is the speech service of STANDIN_TRANSCRIPTION_URL`
  return new Option(flags, help).argParser((text) => {
    const provider = transcriptionProvider(text)
    if (provider === undefined) throw new InvalidArgumentError(`Choose one of ${PROVIDERS}.`)
    return provider
  })
}

/** Ids become names of folders and words of a shell, so those that a service answers are checked too. */
export const isBotId = (text: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
