/** The API with the real calendars and the operator's apps, in front of the providers' stand-ins. */
import type { AddressInfo } from 'node:net'
import type { CalendarOperations } from '../../../../control-plane/calendars/operations.ts'
import { openServiceCalendars } from '../../../../control-plane/main/wiring/calendars.ts'
import { Closing } from '../../../../control-plane/main/wiring/closing.ts'
import { openConsents } from '../../../../control-plane/main/wiring/consents.ts'
import { NO_METERS } from '../../../../control-plane/platform/meters.ts'
import { startMockGoogleCalendar, startMockMicrosoftCalendar } from '../../../../packages/mock/calendars/index.ts'
import type { StandInApp } from '../../../../packages/mock/zoom-oauth/index.ts'
import { openWorld, quiet } from '../../world.ts'
import type { GivenToApi } from '../world.ts'

const NO_APP = { clientId: null, clientSecret: null }

interface Options {
  /** Of the stand-in, with an app of the operator. */
  zoom?: { url: string; app: StandInApp }
}

/** Listens, so that the stand-ins can push: at the port of the public address if that has one. */
export async function openCalendarWorld(given: GivenToApi = {}, { zoom }: Options = {}) {
  const google = await startMockGoogleCalendar()
  const microsoft = await startMockMicrosoftCalendar()
  const config = {
    providers: {
      google: google.url,
      googleToken: google.tokenUrl,
      googleConsent: google.consentUrl,
      graph: microsoft.url,
      microsoftLogin: microsoft.loginUrl,
      zoom: zoom?.url ?? null,
    },
    apps: {
      google: { clientId: google.tokens.clientId, clientSecret: google.tokens.clientSecret },
      microsoft: {
        clientId: microsoft.tokens.clientId,
        clientSecret: microsoft.tokens.clientSecret,
        tenant: 'common',
      },
      zoom: zoom?.app ?? NO_APP,
    },
    prefersLocation: false,
    jitsiHosts: [],
    allowPrivateAddresses: true,
  }
  const closing = new Closing(quiet)
  // Operations need the database, and the API needs them: they are filled in before the first request.
  const operations = {} as CalendarOperations
  const world = await openWorld({ api: { consents: openConsents(config, closing), ...given, calendars: operations } })
  const port = Number(new URL(world.dependencies.settings.publicUrl).port)
  await world.app.listen({ host: '127.0.0.1', port })
  const publicUrl = `http://127.0.0.1:${(world.app.server.address() as AddressInfo).port}`
  const settings = {
    database: world.database,
    seals: world.dependencies.seals,
    log: quiet,
    meters: NO_METERS,
    publicUrl,
  }
  const calendars = openServiceCalendars(config, {
    ...settings,
    database: world.callers,
    acrossTeams: world.database,
  })
  Object.assign(operations, calendars.operations)
  const due = openServiceCalendars(config, settings)
  due.start()
  return {
    ...world,
    address: publicUrl,
    config,
    google,
    microsoft,
    async close() {
      await Promise.all([calendars.close(), due.close()])
      await closing.run()
      await world.close()
      await google.close()
      await microsoft.close()
    },
  }
}
