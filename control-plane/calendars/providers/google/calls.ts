/** The few calls of Google Calendar that are needed, each with its bounds. */
import { type Answer, ask, type ProviderHttp, type Question } from '../transport.ts'
import { googleProblem } from './problems.ts'

export const NAME = 'Google'

export interface GoogleAddresses {
  /** Such as `https://www.googleapis.com`. */
  google: string
  googleToken: string
}

/** Asks, and rejects with the problem of an answer that is no success. */
export async function askGoogle(http: ProviderHttp, question: Question): Promise<Answer> {
  const answer = await ask(http, NAME, question)
  if (answer.status < 200 || answer.status >= 300) throw googleProblem(answer, question)
  return answer
}
