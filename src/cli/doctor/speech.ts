import { type Finding, fine, warning } from '@standin/wire/text/findings.ts'
import { findModel, languagesOf, problemOfModel, speechSettings } from '../../speech/model.ts'

/** By what `Default` makes transcripts here. A bot needs it for them alone, so a missing model is a warning. */
export function checkSpeech(environment: Readonly<Record<string, string | undefined>>): Finding {
  const part = 'Speech'
  if (environment.STANDIN_TRANSCRIPTION_URL) return fine(part, 'the service of STANDIN_TRANSCRIPTION_URL')
  const settings = speechSettings(environment)
  const problem = problemOfModel(settings)
  const cure = 'Run standin speech install, or see docs/transcription.md.'
  if (problem !== null) return warning(part, problem, cure)
  if (settings.engine !== 'sherpa-onnx-node') return fine(part, `the engine ${settings.engine}`)
  const model = findModel(settings.models)
  const languages = languagesOf(model)?.map((one) => new Intl.DisplayNames('en', { type: 'language' }).of(one))
  return fine(part, `${model.kind}, ${languages?.join(', ') ?? 'its own languages'}; "standin speech check" tries it`)
}
