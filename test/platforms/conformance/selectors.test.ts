/**
 * The source of a mock contains each name in the driver's selectors: each tag, id, class, attribute and attribute value.
 * The browser tests of each platform prove that pages show them.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SHIPPED_WORDS } from '@standin/wire/words.ts'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../packages/core/process/page-scripts.ts'

/** Names that the mock puts together from parts, and older or rarer marks of the real page that no scenario shows. */
const UNSEEN = {
  meet: 'alertdialog menuitemcheckbox material-icons material-icons-extended svg',
  teams: `alertdialog menuitemradio fui-Tooltip__content joinOnWebButton openTeamsClientInBrowser continue-on-browser
    prejoin-display-name lobby-screen lobby-wait-screen lobby-waiting-room prejoin-waiting-room call-ended-screen
    post-call-screen rejoin-title anon-hangup-button call-monitor call-monitor-v2 confirm-leave-button
    leave-meeting-confirm toggle-chat calling-toolbar-people-button
    screenshare-button more-button custom-view-button custom-view-button-SpeakerViewButton MixedGridView-button
    custom-view-button-MixedGridButton toggle-incoming-video-button MixedStage-wrapper raisehand-icon
    ai-interpreter-outline participant-speaker-ring participantsInCall- attendeesInMeeting- participantsInLobby-
    participantsFromThread- sendMessageCommands-send closed-captions-renderer ufd_`,
  zoom: `inputemail single-suspension-container__video-frame suspension-video-container__video-frame video-frame--active
    new-chat-message__text-box--self new-chat-message__text-content--self lt-select-language--ask heading`,
  jitsi: 'svg alertdialog lobby-chat-container',
}
const FOLDERS = { meet: 'google-meet', teams: 'microsoft-teams', zoom: 'zoom', jitsi: 'jitsi' }

/** Values with what they are compared with: a part of a value may be a part of a name in the mock. */
const VALUE = /([\^$*]?)="([^"]*)"(?: i)?/g

/** The names of a selector that the mock's source does not contain. */
function missingIn(source: string, words: ReadonlySet<string>, selector: string): string[] {
  const values = [...selector.matchAll(VALUE)].filter(([, operator, value]) =>
    operator || /[^\w-]/.test(value!) ? !source.includes(value!) : !words.has(value!),
  )
  const others = [...selector.replace(VALUE, '').matchAll(/(?<![\w:-])[A-Za-z][\w-]*/g)].map(([name]) => name)
  const inScripts = (name: string) => name.replace(/^data-/, '').replace(/-(\w)/g, (_, letter) => letter.toUpperCase())
  return [
    ...values.map(([, , value]) => value!),
    ...others.filter((name) => !words.has(name) && !words.has(inScripts(name))),
  ]
}

test.each(Object.entries(FOLDERS))(
  '%s: the selectors in packages/wire/words.json name what is in packages/mock/%s',
  (platform, folder) => {
    const files = globSync([`packages/mock/${folder}/**/*.ts`, 'packages/mock/shared/**/*.ts'], { cwd: packageRoot })
    const source = files.map((file) => readFileSync(join(packageRoot, file), 'utf8')).join('\n')
    const words = new Set(source.match(/[\w-]+/g))
    const { selectors } = SHIPPED_WORDS.platforms[platform as keyof typeof FOLDERS]
    const missing = Object.entries<string>(selectors).flatMap(([key, selector]) =>
      missingIn(source, words, selector).map((name) => ({ key: `platforms.${platform}.selectors.${key}`, name })),
    )
    const unseen = UNSEEN[platform as keyof typeof FOLDERS].split(/\s+/)
    const wrong = missing.filter(({ name }) => !unseen.includes(name))
    expect(wrong, 'names in packages/wire/words.json that the mock does not know').toEqual([])
    const isMissing = (name: string) => missing.some((entry) => entry.name === name)
    expect(
      unseen.filter((name) => !isMissing(name)),
      'names that the mock knows by now',
    ).toEqual([])
  },
)
