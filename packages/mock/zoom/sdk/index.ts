/** The mock Zoom's Meeting SDK, for drivers and tests. */
export { MOCK_APP } from './credentials.ts'
export { ledgerOf, STUB_BASE } from './host.ts'
