/** The few calls of Google Calendar that are needed, each with its bounds. */
import { type ProviderHttp, type ProviderRequest, type ProviderResponse, send } from '../transport.ts'
import { googleProblem } from './problems.ts'

export const NAME = 'Google'

export interface GoogleAddresses {
  /** Such as `https://www.googleapis.com`. */
  google: string
  googleToken: string
}

/** Rejects with the problem of a response that is no success. */
export async function sendToGoogle(http: ProviderHttp, request: ProviderRequest): Promise<ProviderResponse> {
  const response = await send(http, NAME, request)
  if (response.status < 200 || response.status >= 300) throw googleProblem(response, request)
  return response
}
