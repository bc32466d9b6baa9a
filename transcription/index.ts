/** Transcripts by several speech services, live and afterwards. docs/transcription.md describes them. */
export { finishTranscript, transcribe, writeLiveTranscript } from './afterwards.ts'
export { TRANSCRIPT_FILES } from './files.ts'
export { readSpoken } from './journal.ts'
export { LiveTranscription } from './live.ts'
export { createAssemblyAi } from './providers/assemblyai.ts'
export { createDeepgram } from './providers/deepgram.ts'
export { createOpenAiCompatible } from './providers/openai-compatible.ts'
export type { SpeechProvider } from './types.ts'
