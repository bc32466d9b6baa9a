/** Transcripts by several speech services, live and afterwards. docs/transcription.md describes them. */
export { finishTranscript, transcribe, writeLiveTranscript } from './afterwards.ts'
export { createAssemblyAi } from './assemblyai.ts'
export { createDeepgram } from './deepgram.ts'
export { TRANSCRIPT_FILES } from './files.ts'
export { readSpoken } from './journal.ts'
export { LiveTranscription } from './live.ts'
export { createOpenAiCompatible } from './openai-compatible.ts'
export type { SpeechProvider } from './types.ts'
