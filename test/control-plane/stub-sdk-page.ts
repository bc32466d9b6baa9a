import { STUB_BASE } from '../../packages/mock/zoom/sdk/index.ts'
import { serveSdkPage as serve } from '../../platforms/zoom/meeting-sdk/page-server.ts'

export const serveSdkPage = () => serve(STUB_BASE)
