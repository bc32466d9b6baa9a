import { expect, test } from 'vitest'
import { matches } from '../../../platforms/shared/words.ts'
import { type PageStateWord, WORDS } from '../../../platforms/zoom/words.ts'

/** Sentences of the page in the languages that the published SDK package brings along. */
const SENTENCES: [PageStateWord, string][] = [
  ['waiting_for_host', 'Bitte warten Sie, bis der Host das Meeting beginnt.'],
  ['waiting_for_host', 'En attente de lancement de la réunion par l’hôte.'],
  ['waiting_for_host', 'Esperando a que el anfitrión inicie la reunión.'],
  ['waiting_for_host', 'Aguardando o início da reunião pelo anfitrião.'],
  ['waiting_for_host', 'ホストがミーティングを開始するのを待機しています。'],
  ['waiting_room', 'Bitte warten, der Meeting-Host lässt Sie in Kürze eintreten.'],
  ['waiting_room', 'Veuillez patienter, l’hôte de la réunion vous laissera bientôt entrer.'],
  ['waiting_room', 'Por favor, espere, el anfitrión le permitirá ingresar pronto.'],
  ['waiting_room', 'Aguarde; o anfitrião da reunião deixará você entrar em breve.'],
  ['waiting_room', 'まもなくホストがミーティングへの参加を許可します'],
  ['removed', 'Sie wurden vom Host von diesem Meeting entfernt.'],
  ['removed', 'Vous avez été exclu de cette réunion par l’animateur.'],
  ['removed', 'El anfitrión lo ha retirado de esta reunión.'],
  ['removed', 'Você foi removido desta reunião pelo anfitrião.'],
  ['removed', 'ホストによってこのミーティングから削除されました。'],
  ['ended', 'Das Meeting wurde vom Host beendet'],
  ['ended', 'L’hôte a mis fin à cette réunion'],
  ['ended', 'El anfitrión ha finalizado esta reunión'],
  ['ended', 'Esta reunião foi encerrada pelo anfitrião'],
  ['ended', 'このミーティングはホストによって終了されました'],
  ['bot_wall', 'Automatisierte Bots dürfen nicht an diesem Meeting teilnehmen.'],
  ['login_wall', 'Melden Sie sich an, um diesem Meeting beizutreten'],
  ['invalid_link', 'このミーティングリンクは無効です。'],
]

test.each(SENTENCES)('%s: %s', (kind, sentence) => {
  const kinds = (Object.keys(WORDS.states) as PageStateWord[]).filter((name) => matches(WORDS.states[name], sentence))
  expect(kinds).toEqual([kind])
})

test('an unmuted microphone is not taken for a muted one, whose word it holds', () => {
  expect(matches(WORDS.labels.microphoneOn, 'unmute my microphone')).toBe(false)
  expect(matches(WORDS.labels.microphoneOff, 'unmute my microphone')).toBe(true)
  expect(matches(WORDS.labels.microphoneOn, 'mute my microphone')).toBe(true)
  for (const other of ['Mute All', 'Ask to unmute', 'audio', 'join audio'])
    expect([matches(WORDS.labels.microphoneOn, other), matches(WORDS.labels.microphoneOff, other)]).toEqual([
      false,
      false,
    ])
})

test.each(['Stummschalten', 'Désactiver le son', 'Silenciar', 'Ativar mudo', 'ミュート'])(
  '%s turns the microphone off in its language, and nothing else does',
  (label) => {
    expect(matches(WORDS.labels.microphoneOn, label)).toBe(true)
    expect(matches(WORDS.labels.microphoneOff, label)).toBe(false)
  },
)

test.each([
  ['open the participants list pane,[3] particpants', '3'],
  ['open the manage participants list pane,12 particpants', '12'],
])('%s tells %s people', (label, count) => {
  const [expression] = WORDS.labels.peopleCount
  expect(expression?.exec(label)?.[1]).toBe(count)
})

test('ending the meeting for all is no way to leave it', () => {
  expect(matches(WORDS.labels.leaveMeeting, 'End Meeting for All')).toBe(false)
  expect(matches(WORDS.labels.endForAll, 'End Meeting for All')).toBe(true)
})
