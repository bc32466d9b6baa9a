/** Secrets that the environment hands over. A child process, or a library, must not find them there later. */
const SECRETS = [
  'STANDIN_API_KEY',
  'STANDIN_JOB',
  'STANDIN_JOB_TOKEN',
  'STANDIN_CONTROL_TOKEN',
  'STANDIN_CONF_SDK_PWD',
  'STANDIN_CONF_OBF_TOKEN',
  'STANDIN_TRANSCRIPTION_KEY',
]

/** A copy of the environment; what is secret is then only in the copy. */
export function takeSecrets(environment: Record<string, string | undefined>): Record<string, string | undefined> {
  const copy = { ...environment }
  for (const name of SECRETS) delete environment[name]
  return copy
}
