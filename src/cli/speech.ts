import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Io } from '@standin/wire/process/command-io.ts'
import { OTHER_LANGUAGES } from '@standin/wire/speech-access.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { installSpeech, isInstalled } from '../speech/install.ts'
import { builtInModel, findModel, languagesOf, problemOfModel, speechSettings } from '../speech/model.ts'
import { Recognizers } from '../speech/recognizers.ts'
import { turnsOfFile } from '../speech/recording.ts'
import { startSpeechServer } from '../speech/server.ts'

export interface SpeechFlags {
  host: string
  port?: number
  json?: boolean
}

/** `standin speech`: serves until it is interrupted. Resolves with 2 if the model or the port cannot be used. */
export async function serveSpeech({ host, port = 0, json }: SpeechFlags, io: Io): Promise<number> {
  const settings = speechSettings(io.environment)
  const given = io.environment.STANDIN_TRANSCRIPTION_KEY
  const key = given || randomBytes(24).toString('base64url')
  try {
    const problem = problemOfModel(settings)
    if (problem !== null) throw new Error(problem)
    // It decodes files of strangers.
    await io.leaveRoot?.({ reads: [settings.models] })
    const server = await startSpeechServer({ ...settings, host, port, key })
    if (json) io.output.write(`${JSON.stringify({ url: server.url })}\n`)
    else {
      io.output.write(`Speech is recognized at ${server.url}\n`)
      if (!given) io.output.write(`The key is ${key}\n`)
      io.output.write('Ctrl-C ends it.\n')
    }
    await new Promise<void>((end) => {
      process.once('SIGINT', end)
      process.once('SIGTERM', end)
    })
    await server.close()
    return 0
  } catch (error) {
    io.errors.write(`standin speech: ${messageOf(error)}\n`)
    return 2
  }
}

/** `standin speech install`: fetches the built-in model unless it is there. Resolves with 1 if it could not be fetched. */
export async function installModel(io: Io): Promise<number> {
  if (await isInstalled()) {
    io.output.write(`The model is in ${builtInModel}\n`)
    return 0
  }
  try {
    await installSpeech()
    io.output.write(`The model is now in ${builtInModel}\n`)
    return 0
  } catch (error) {
    io.errors.write(`standin speech install: ${messageOf(error)}\n`)
    return 1
  }
}

/** `standin speech check`: recognizes the built-in sample. Resolves with 2 if the model cannot be used. */
export async function checkSpeech(io: Io): Promise<number> {
  const settings = speechSettings(io.environment)
  const problem = problemOfModel(settings)
  const recognizers = new Recognizers({ ...settings, count: 1 })
  try {
    if (problem !== null) throw new Error(problem)
    const began = performance.now()
    await recognizers.ready()
    const loaded = performance.now()
    const words: string[] = []
    const sample = join(packageRoot, 'dist/bundles/speech-sample.ogg')
    const signal = AbortSignal.timeout(120_000)
    for await (const { text } of turnsOfFile(sample, { recognizers, ...settings, signal })) words.push(text)
    const { seconds, busyMs } = recognizers.counts
    const model = settings.engine === 'sherpa-onnx-node' ? findModel(settings.models) : null
    const languages = model && languagesOf(model)
    const names = new Intl.DisplayNames('en', { type: 'language' })
    io.output.write(
      [
        `model      ${model?.kind ?? settings.engine} in ${model?.folder ?? settings.models}`,
        `languages  ${languages === null ? 'those of the model' : `${languages.map((one) => names.of(one)).join(', ')}. ${OTHER_LANGUAGES}`}`,
        `loaded in  ${((loaded - began) / 1000).toFixed(1)} s`,
        `speed      ${(busyMs / 10 / seconds).toFixed(0)} % of the time of speech, on this machine now`,
        `memory     ${(recognizers.memory / 1e6).toFixed(0)} MB`,
        `sample     ${words.join(' ')}`,
        '',
      ].join('\n'),
    )
    return 0
  } catch (error) {
    io.errors.write(`standin speech check: ${messageOf(error)}\n`)
    return 2
  } finally {
    recognizers.close()
  }
}
