/** Kinds of pages on every platform: structure decides first, and sentences count that are in no list. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answerOf as meetAnswer } from '../../../platforms/google-meet/dialogs.ts'
import { meetClassifier } from '../../../platforms/google-meet/page-classifier.ts'
import { answerOf as jitsiAnswer } from '../../../platforms/jitsi/dialogs.ts'
import { jitsiClassifier } from '../../../platforms/jitsi/page-classifier.ts'
import { answerOf as teamsAnswer } from '../../../platforms/microsoft-teams/dialogs.ts'
import { teamsClassifier } from '../../../platforms/microsoft-teams/page-classifier.ts'
import type { CommonSnapshot } from '../../../platforms/shared/page/types.ts'
import type { PageClassifier } from '../../../platforms/shared/page-state.ts'
import { REAL_WAITS } from '../../../platforms/shared/waits.ts'
import { answerDialog as zoomAnswer } from '../../../platforms/zoom/dialogs.ts'
import { ZOOM_PACES } from '../../../platforms/zoom/paces.ts'
import { webClientClassifier } from '../../../platforms/zoom/web-client/page-classifier.ts'
import * as meet from '../google-meet/snapshots.ts'
import * as jitsi from '../jitsi/snapshots.ts'
import * as teams from '../microsoft-teams/snapshots.ts'
import * as zoom from '../zoom/snapshots.ts'

type Shown = Partial<CommonSnapshot>

const PLATFORMS = {
  meet: { ...meet, classifier: meetClassifier(REAL_WAITS), answer: meetAnswer },
  teams: { ...teams, classifier: teamsClassifier(REAL_WAITS, false), answer: teamsAnswer },
  zoom: { ...zoom, classifier: webClientClassifier(REAL_WAITS, ZOOM_PACES), answer: zoomAnswer },
  jitsi: { ...jitsi, classifier: jitsiClassifier({ host: jitsi.HOST }, false, REAL_WAITS), answer: jitsiAnswer },
}
const { dialog } = zoom

/** Sentences with one of the choices of each part. */
const sentence = (...parts: string[]) =>
  fc.tuple(...parts.map((part) => fc.constantFrom(...part.split('|')))).map((chosen) => chosen.join(' '))
const oneOf = (sentences: string) => fc.constantFrom(...sentences.trim().split(/\s*\n\s*/))

const WHO = 'host|organizer|moderator|meeting organiser'
const HOST_AWAY = fc.oneof(
  sentence('Waiting for|Please wait for', 'the|a|your', WHO, 'to join|to start the call|to begin|to arrive'),
  sentence('You can come in once|Nothing happens until', 'the|your', WHO, 'joins|has arrived|starts it'),
  sentence('The|Your', WHO, "hasn't|has not|has not yet", 'joined|arrived|started the call'),
  sentence(
    'The|Your',
    WHO,
    'is in|has|is currently in',
    'another meeting|a different call|another meeting in progress.',
  ),
  sentence('The|This', 'meeting|webinar|conference', "hasn't started yet|has not begun|will begin soon"),
  sentence("Waiting for|We're waiting for", 'the|a|your', 'host|organizer.|moderator...'),
  sentence('The|Your', WHO, 'is running late|is away|is not available|will be here soon|has a meeting in progress'),
  oneOf(`Bitte warten Sie, bis der Organisator den Anruf startet
    En attente de l'hôte pour démarrer la réunion
    Esperando a que el anfitrión se una
    Aguardando o organizador iniciar a reunião
    ホストが参加するのを待っています
    Der Host nimmt gerade an einer anderen Besprechung teil
    L'hôte a une autre réunion en cours
    La reunión aún no ha comenzado
    O anfitrião tem outra reunião em andamento
    会議はまだ始まっていません
    L'host ha un'altra riunione in corso
    De vergadering is nog niet gestart
    Oczekiwanie na organizatora
    Организатор ещё не начал конференцию
    主持人正在另一个会议中
    호스트가 다른 회의에 참가 중입니다
    Nobody has opened this meeting yet
    The organizer did not join yet
    This meeting is scheduled for 3 PM
    Aguardando o anfitrião começar a reunião
    Mötet har inte startat än
    La conférence Calm n'a pas encore commencé
    The organizer is tied up in another call
    This call can't start without the host
    Le modérateur est absent
    La reunión empieza cuando llegue el anfitrión
    Der Host wird in Kürze da sein
    主持人到达后会议将开始，请等待
    Очікування організатора`),
)
/** The host is there and has to answer. */
const HOST_ASKED = fc.oneof(
  sentence('Waiting for the|Please wait for the', WHO, 'to let you in|to admit you'),
  oneOf(`Aguardando que o anfitrião permita sua entrada
    主催者が参加を許可するまでお待ちください
    Bitte warten Sie, bis der Organisator Sie hereinlässt
    En attente que l'hôte vous laisse entrer
    等待主持人批准
    等待主持人接纳
    Подождите, пока ведущий впустит вас
    Espera a que el anfitrión permita que entres
    ホストが参加を承認するのを待っています
    The host will start letting people in soon
    You can't join because the host has blocked you
    Der Gastgeber hat Ihre Anfrage noch nicht bestätigt
    L'hôte doit approuver votre arrivée
    主持人同意后您即可加入，请稍候`),
)
const RECORDED = fc.oneof(
  sentence('This|The', 'meeting|call|webinar', 'is being|is now being|may be', 'recorded|transcribed|live-streamed'),
  sentence(
    'Recording|Recording and transcription',
    'in progress.|has started|have started',
    'So you consent|Notes follow',
  ),
  sentence(
    'By staying|By joining',
    'you consent to|you agree to',
    'being recorded|the recording|this being transcribed',
  ),
  sentence('Ann|The host', 'is recording|started recording|has started transcribing|is taking notes'),
  oneOf(`Dieses Meeting wird aufgezeichnet
    Cette réunion est enregistrée
    Se está grabando esta llamada
    Esta chamada está sendo gravada
    この会議は録画されています
    Ann started a recording
    Ann started the recording. It cannot be paused.
    A transcript of this call is being made
    Esta reunión está siendo grabada
    L'appel est en cours d'enregistrement
    Trwa nagrywanie spotkania
    Организатор записывает встречу
    本次会议正在被录制
    Det här mötet spelas in`),
)
/** With two buttons it is enough that a recording is named. */
const ABOUT_RECORDING = oneOf(`Notes, transcripts and recordings will be shared with guests
  An AI assistant is summarizing this meeting
  Mit der Teilnahme stimmen Sie der Aufzeichnung zu
  Questa chiamata viene registrata
  Эта встреча записывается
  이 회의는 녹화 중입니다`)
const UNRECORDED = oneOf(`The recording has stopped
  You can now record meetings
  Your recording is ready
  Take better notes
  This meeting is not being recorded
  Die Besprechung wird nicht aufgezeichnet
  Встреча не записывается
  Start der Aufzeichnung deaktiviert`)
/** Asked by a participant, of a device, or of the page's own recording: with two buttons too. */
const NO_CONSENT = oneOf(`Ann wants to record this meeting
  Please note that your microphone is muted
  Save the recording to this device?
  Leave? The recording will stop
  Recording failed
  Möchten Sie die Besprechung wirklich verlassen? Die Aufzeichnung läuft`)
/** What pages say at the end, and what it means on each platform. */
const ENDS: [sentences: string, kinds: Partial<Record<keyof typeof PLATFORMS, string>>][] = [
  [
    `The host removed you from this meeting
    Vous avez été exclu de la réunion
    您已被主持人移出会议
    Ай! Ann выгнал вас из конференции`,
    { meet: 'removed', teams: 'removed', zoom: 'removed', jitsi: 'removed' },
  ],
  ['The organizer declined your request to join', { meet: 'denied', teams: 'denied' }],
  ['The meeting has reached its maximum number of participants', { meet: 'full', teams: 'full', zoom: 'full' }],
  [
    `An organizer has locked this meeting
    Diese Besprechung ist gesperrt`,
    { teams: 'locked', zoom: 'locked' },
  ],
  [
    `The moderator has ended the meeting
    Meeting ended
    La reunión ha terminado
    Der Host hat das Meeting beendet
    主催者が会議を終了しました
    Встреча завершена`,
    { meet: 'ended_for_all', teams: 'ended_for_all', zoom: 'ended', jitsi: 'ended_for_all' },
  ],
]
/** Of captions, chat, or a presentation as well as of other kinds of pages. */
const ANY_WORDS = fc.oneof(
  fc.string(),
  oneOf(`Unable to connect to captions
    Connection lost
    You left the meeting
    This meeting has ended
    Asking to be let in...
    Waiting for the host to join`),
)

describe.each(Object.entries(PLATFORMS))('%s', (platform, { snapshot, classifier, answer, CALL }) => {
  const { stateOf, waitsFor } = classifier as unknown as PageClassifier<CommonSnapshot, string>
  const look = (shown: Shown) => stateOf((snapshot as unknown as (shown: Shown) => CommonSnapshot)(shown))
  const [leave, ok] = platform === 'jitsi' ? ['Leave the meeting', 'I understand'] : ['Leave', 'OK']
  const answers = (text: string, ...labels: string[]) =>
    (['accept', 'refuse'] as const).map((consent) => answer(dialog(text, ...labels), { consent, wantsCamera: false }))

  test('a host who is not there is waited for by name, wherever the page says it', () => {
    const places = (text: string): Shown[] => [{ lines: [text] }, { headings: [text] }, { dialogs: [dialog(text)] }]
    const isWaitedFor = (place: Shown) => waitsFor?.[look(place).kind] === 'host'
    fc.assert(fc.property(HOST_AWAY, (text) => places(text).every(isWaitedFor)))
    fc.assert(fc.property(HOST_ASKED, (text) => !places(text).some(isWaitedFor)))
  })

  test('a call that is seen and heard is one, whatever its text', () => {
    const call = { ...(CALL as Shown), callMarks: ['toolbar', 'tiles'], receivesSound: true }
    const isCall = (lines: string[]) => look({ ...call, lines, headings: lines.slice(0, 1) }).kind === 'in_call'
    fc.assert(fc.property(fc.array(ANY_WORDS), isCall))
  })

  test('a consent is accepted or refused, by its words or by the choice to leave or to join', () => {
    const isConsent = (text: string, yes: string, isTurned: boolean) => {
      const [accepted, refused] = answers(text, ...(isTurned ? [yes, leave!] : [leave!, yes]))
      // The page of Jitsi Meet is left by its own button.
      const isLeft = refused?.press?.label === (platform === 'jitsi' ? undefined : leave)
      return accepted?.press?.label === yes && isLeft && refused?.refusal?.includes('recording_consent') === true
    }
    fc.assert(fc.property(RECORDED, fc.constant(ok!), fc.boolean(), isConsent))
    const yes = fc.constantFrom(
      'Stay',
      'Join anyway',
      'Continue',
      'I agree',
      'Einverstanden',
      'Accepter',
      '同意する',
      'Fine by me',
    )
    fc.assert(fc.property(fc.oneof(RECORDED, ABOUT_RECORDING), yes, fc.boolean(), isConsent))
    fc.assert(fc.property(fc.lorem(), fc.constant('Join now'), fc.boolean(), isConsent))
    fc.assert(fc.property(UNRECORDED, (text) => answers(text, 'Got it')[1]?.refusal === undefined))
    const isNone = (text: string) => answers(text, 'Decline', 'Accept').every((given) => given?.refusal === undefined)
    fc.assert(fc.property(NO_CONSENT, isNone))
    const isNotice = (text: string) => answers(text, 'Cancel', 'OK')[1]?.refusal === undefined
    fc.assert(fc.property(fc.oneof(NO_CONSENT, UNRECORDED), isNotice))
    expect(answers('Ann wants to share a file', 'Decline', 'Accept')[0]?.press ?? null).toBeNull()
  })

  test('an end is known in other words and languages, and what is said of others is none', () => {
    const last = (text: string) => ({
      ...{ lines: [text], headings: [text], returnHome: true, leaveReason: text },
      ...(platform === 'teams' && { endScreen: text }),
      ...(platform === 'zoom' && { dialogs: [dialog(text, 'OK')] }),
    })
    for (const [sentences, kinds] of ENDS) {
      const kind = kinds[platform as keyof typeof kinds]
      const means = (text: string) => look(last(text)).kind === kind
      if (kind !== undefined) fc.assert(fc.property(oneOf(sentences), means))
    }
    const call = { ...(CALL as Shown), callMarks: ['toolbar', 'tiles'] }
    for (const text of ['Ann was removed from the meeting', 'You have been removed from Breakout Room 2', 'Poll ended'])
      expect(look({ ...call, dialogs: [dialog(text, 'OK')] }).kind, text).toBe('in_call')
  })
})

test('a last page of Google Meet is known by its button, without toolbar and tiles', () => {
  const { classifier, snapshot, TOOLBAR } = PLATFORMS.meet
  const phase = (shown: Shown) => classifier.phases[classifier.stateOf(snapshot({ ...shown, returnHome: true })).kind]
  fc.assert(fc.property(fc.lorem(), (text) => phase({ headings: [text], lines: [text] }) === 'out'))
  fc.assert(fc.property(fc.lorem(), (text) => phase({ ...TOOLBAR, lines: [text] }) === 'undecided'))
})
