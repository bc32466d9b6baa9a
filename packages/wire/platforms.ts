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
