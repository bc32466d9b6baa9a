/** The link with which the first owner of an installation signs in to the dashboard. */
import { signInAddress } from '../api/dashboard/addresses.ts'
import type { Database } from '../store/database.ts'
import { firstOwner } from '../store/people/people.ts'
import { createSignInLink } from '../store/people/sessions.ts'

/** Makes the owner if there is none yet. Null if there is no team. */
export async function ownerSignInLink(database: Database, publicUrl: string): Promise<string | null> {
  const owner = await firstOwner(database)
  return owner === null ? null : signInAddress(publicUrl, await createSignInLink(database, owner))
}
