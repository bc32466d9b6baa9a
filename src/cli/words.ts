/** `standin words`: makes a key, prints the words that the program ships, signs a pack, and checks one. */
import { readFile, writeFile } from 'node:fs/promises'
import type { Io } from '@standin/base/command-io.ts'
import { CommandMistake } from '@standin/base/command-output.ts'
import { messageOf } from '@standin/base/error-text.ts'
import { newSigningKey, signJson } from '@standin/base/signed-json.ts'
import { acceptWords, SHIPPED_WORDS } from '@standin/wire/words.ts'
import { wordsSourceOf } from '../job/config.ts'
import { programVersion, readWords } from '../wiring/words.ts'

/** Never over a file that exists: a lost key cannot be made again. */
export async function wordsKeygen(file: string, io: Io): Promise<number> {
  const { privateKey, publicKey } = newSigningKey()
  await writeFile(file, privateKey, { mode: 0o600, flag: 'wx' }).catch((error) => {
    throw new CommandMistake(`The private key could not be written: ${messageOf(error)}`)
  })
  io.errors.write(`The private key is in ${file}. Set STANDIN_WORDS_KEY to this public key:\n`)
  io.output.write(`${publicKey}\n`)
  return 0
}

/** The shipped pack, as a beginning of a newer one. */
export function wordsPrint(io: Io): number {
  io.output.write(`${JSON.stringify(SHIPPED_WORDS, null, 2)}\n`)
  return 0
}

export async function wordsSign(file: string, flags: { key: string; out: string }, io: Io): Promise<number> {
  try {
    // Every program would refuse an invalid pack, signed or not.
    const pack = acceptWords(JSON.parse(await readFile(file, 'utf8')), programVersion(), SHIPPED_WORDS.version)
    const { document, publicKey } = signJson(pack, await readFile(flags.key, 'utf8'))
    await writeFile(flags.out, `${JSON.stringify(document)}\n`)
    io.output.write(`${flags.out} holds the words pack ${pack.version}, signed with the key ${publicKey}\n`)
    return 0
  } catch (error) {
    throw new CommandMistake(`${file} was not signed: ${messageOf(error)}`)
  }
}

/** Resolves with 0 if a bot or a service with these settings would use the pack, else with 1. */
export async function wordsVerify(place: string, flags: { key?: string }, io: Io): Promise<number> {
  const source = wordsSourceOf(place, flags.key ?? io.environment.STANDIN_WORDS_KEY, [])!
  try {
    const { version, created } = await readWords(source)
    const how = source.key === null ? 'its signature was not looked at: give --key' : 'signed with this key'
    io.output.write(`The words pack ${version} of ${created} is valid; ${how}\n`)
    return 0
  } catch (error) {
    io.errors.write(`The words pack cannot be used: ${messageOf(error)}\n`)
    return 1
  }
}
