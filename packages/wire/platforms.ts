/** The platforms of meetings. Imports nothing, because pages show the names too. */
export const MEETING_PLATFORMS = ['meet', 'teams', 'zoom', 'jitsi'] as const
export type PlatformName = (typeof MEETING_PLATFORMS)[number]

/** As people know them. */
export const PLATFORM_TITLES: Readonly<Record<PlatformName, string>> = {
  meet: 'Google Meet',
  teams: 'Microsoft Teams',
  zoom: 'Zoom',
  jitsi: 'Jitsi Meet',
}

/** Those on which a bot can be signed in. */
export const ACCOUNT_PLATFORMS = ['meet', 'teams', 'zoom'] as const satisfies PlatformName[]
export type AccountPlatform = (typeof ACCOUNT_PLATFORMS)[number]

/** Those on which a bot can show a page. */
export const PAGE_PLATFORMS: readonly PlatformName[] = ['meet', 'teams', 'jitsi']

/** Why a bot cannot show a page there; null if it can. */
export function problemOfPagesOn(platform: PlatformName): string | null {
  if (PAGE_PLATFORMS.includes(platform)) return null
  return `A bot cannot show a page in a meeting on ${PLATFORM_TITLES[platform]}, only on ${PAGE_PLATFORMS.map((name) => PLATFORM_TITLES[name]).join(', ')}.`
}
