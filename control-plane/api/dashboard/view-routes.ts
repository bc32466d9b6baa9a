/** Saved views of the signed-in person. Other people do not see them, so they are no changes of the team. */
import { z } from 'zod'
import { listViews, MAX_VIEWS, removeView, saveView } from '../../store/people/views.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { refusals } from '../http/errors.ts'
import { type App, callerOf } from '../http/generation.ts'
import { done, message, succeeded, success, uuid } from '../v2/common.ts'
import { oneLine } from './fields.ts'

const view = z.strictObject({
  name: oneLine,
  filters: z
    .partialRecord(z.enum(['name', 'status', 'platform', 'since', 'sort']), z.string().min(1).max(255))
    .describe('As in the address of the page.'),
})
const viewSchema = view.extend({ view_id: z.uuid() }).meta({ id: 'SavedView' })

export function viewRoutes(app: App, { database }: ApiDependencies): void {
  const own = { role: 'viewer', changes: 'never' } as const

  app.get('/views', { schema: { response: { 200: success(z.array(viewSchema)) } } }, async (request) =>
    succeeded(await listViews(database, callerOf(request).session!.personId)),
  )

  app.put('/views', { config: own, schema: { body: view, response: { 200: message } } }, async (request) => {
    const { name, filters } = request.body
    const { personId } = callerOf(request).session!
    if (!(await saveView(database, personId, { name, filters: filters as Record<string, string> })))
      throw refusals.tooManyViews(MAX_VIEWS)
    return done('Saved')
  })

  app.delete(
    '/views/:view_id',
    { config: own, schema: { params: z.strictObject({ view_id: uuid }), response: { 200: message } } },
    async (request) => {
      const { personId } = callerOf(request).session!
      if (!(await removeView(database, personId, request.params.view_id))) throw refusals.unknown('view')
      return done('Deleted')
    },
  )
}
