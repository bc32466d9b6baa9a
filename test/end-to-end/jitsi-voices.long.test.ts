import { writesVoiceFiles } from './voice-files.ts'

// Each person has a stream.
writesVoiceFiles('jitsi')
