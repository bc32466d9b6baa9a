/** Credentials that the mock Zoom knows. */

import type { ConfCredentials } from '../../../../packages/core/conf-credentials.ts'
import { MOCK_APP } from '../../../../packages/mock/zoom/sdk/credentials.ts'

export const CONF: ConfCredentials = {
  sdkId: MOCK_APP.id,
  sdkSecret: MOCK_APP.secret,
  onBehalfToken: null,
  accessKey: null,
  botId: '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11',
  extra: null,
}
