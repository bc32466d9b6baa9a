/** The API with the real calendars, in front of the providers' stand-ins. */
import type { AddressInfo } from 'node:net'
import { openCalendars } from '../../../../control-plane/calendars/index.ts'
import type { CalendarOperations } from '../../../../control-plane/calendars/operations.ts'
import { openCalendarProviders } from '../../../../control-plane/calendars/providers/index.ts'
import { createGuardedClient } from '../../../../control-plane/outgoing/guarded-client.ts'
import { startMockGoogleCalendar, startMockMicrosoftCalendar } from '../../../../mock/calendars/index.ts'
import { type ApiWorldOptions, openApiWorld, quiet } from '../world.ts'

/** Listens, so that the stand-ins can push. */
export async function openCalendarWorld(options: ApiWorldOptions['dependencies'] = {}) {
  const google = await startMockGoogleCalendar()
  const microsoft = await startMockMicrosoftCalendar()
  const client = createGuardedClient({ allowPrivate: true })
  // Operations need the database, and the API needs them: they are filled in before the first request.
  const operations = {} as CalendarOperations
  const world = await openApiWorld({ dependencies: { ...options, calendars: operations } })
  await world.app.listen({ host: '127.0.0.1', port: 0 })
  const address = `http://127.0.0.1:${(world.app.server.address() as AddressInfo).port}`
  const settings = {
    database: world.database,
    seals: world.dependencies.seals,
    log: quiet,
    providers: openCalendarProviders({
      http: client,
      clock: Date,
      addresses: {
        google: google.url,
        googleToken: google.tokenUrl,
        graph: microsoft.url,
        microsoftLogin: microsoft.loginUrl,
      },
      jitsiHosts: [],
    }),
    publicUrl: address,
    jitsiHosts: [],
  }
  const calendars = openCalendars({ ...settings, database: world.callers, acrossTeams: world.database })
  Object.assign(operations, calendars.operations)
  const due = openCalendars(settings)
  due.start()
  return {
    ...world,
    address,
    google,
    microsoft,
    async close() {
      await Promise.all([calendars.close(), due.close()])
      await world.close()
      await google.close()
      await microsoft.close()
      await client.close()
    },
  }
}
