/** Transcripts by several speech services, live and afterwards. docs/transcription.md describes them. */
export { finishTranscript, transcribe, writeLiveTranscript } from './afterwards.ts'

export { joinTranscripts } from './joined.ts'
export { readSpoken, spokenIn } from './journal.ts'
export { LiveTranscription } from './live.ts'
export { createAssemblyAi } from './providers/assemblyai.ts'
export { createDeepgram } from './providers/deepgram.ts'
export { createLocal } from './providers/local.ts'
export { createOpenAiCompatible } from './providers/openai-compatible.ts'
export { problemOfAnswer } from './providers/openai-request.ts'
export type { SpeechProvider } from './types.ts'
