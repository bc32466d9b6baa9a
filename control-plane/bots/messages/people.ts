/** People in messages: optional fields are absent rather than null. */
export interface Person {
  name: string
  id: number | null
  display_name?: string
  profile_picture?: string
}

/** Reads the stored list; entries without a name are left out. */
export function peopleOf(stored: unknown): Person[] {
  if (!Array.isArray(stored)) return []
  return stored.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return []
    const { name, id, display_name, profile_picture } = entry as Record<string, unknown>
    if (typeof name !== 'string') return []
    return [
      {
        name,
        id: typeof id === 'number' ? id : null,
        ...(typeof display_name === 'string' && { display_name }),
        ...(typeof profile_picture === 'string' && profile_picture !== '' && { profile_picture }),
      },
    ]
  })
}
