/**
 * Samples per second of the stage. The sound server plays at it, so the browser does too; the recording and whoever listens
 * take it, and nothing is resampled on the way.
 */
export const CAPTURE_SAMPLE_RATE = 48_000
