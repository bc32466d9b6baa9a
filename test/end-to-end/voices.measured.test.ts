import { writesVoiceFiles } from './voice-files.ts'

// Its streams go from speaker to speaker.
writesVoiceFiles('meet')
