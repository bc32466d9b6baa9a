/** Wording of other languages, as far as it was seen; the page shows it where it does not honor the asked language. */
import type { PartialTexts } from './texts.ts'

const GERMAN: PartialTexts = {
  situations: {
    knock_timed_out: [/^niemand hat auf ihre teilnahmeanfrage geantwortet/],
    lobby: [/^bitte warten sie, bis sie vom organisator/, /^teilnahmeanfrage wird/],
    left: [/^sie haben die videokonferenz verlassen/],
  },
  labels: {
    join: [/^teilnahme erbitten$/, /^jetzt teilnehmen$/, /^trotzdem teilnehmen$/],
    leave: [/^anruf verlassen$/],
    people: [/^personen\b/],
    withoutDevices: [/^ohne mikrofon und kamera fortfahren$/],
    microphoneOn: [/^mikrofon ausschalten\b/],
    microphoneOff: [/^mikrofon einschalten\b/],
    microphoneProblem: [/^mikrofonproblem\b/],
    cameraOn: [/^kamera ausschalten\b/],
    cameraOff: [/^kamera einschalten\b/],
    cameraProblem: [/^kameraproblem\b/],
  },
}

const HUNGARIAN: PartialTexts = {
  labels: {
    join: [/^kérvényezés a csatlakozásra$/],
    yourName: [/^a neved$/],
    microphoneOn: [/^mikrofon kikapcsolása/],
    microphoneOff: [/^mikrofon bekapcsolása/],
    cameraOn: [/^kamera kikapcsolása/],
    cameraOff: [/^kamera bekapcsolása/],
  },
}

const JAPANESE: PartialTexts = {
  labels: {
    join: [/^参加をリクエスト$/, /^今すぐ参加$/],
    yourName: [/^(?:あなたの)?名前$/],
    withoutAccount: [/^(?:アカウントなしで|ゲストとして)続行$/],
    microphoneOn: [/^マイクをオフにする/],
    microphoneOff: [/^マイクをオンにする/],
    cameraOn: [/^カメラをオフにする/],
    cameraOff: [/^カメラをオンにする/],
  },
}

const ROMANCE: PartialTexts = {
  labels: {
    join: [/^participar agora$/, /^unirse$/, /^participer$/],
    leave: [/^sair da chamada$/],
    people: [/^participantes\b/],
    chat: [/^chatear con todos\b/],
  },
}

const SLAVIC: PartialTexts = {
  labels: {
    join: [/^присоединиться$/],
    cameraOn: [/^выключить камеру/],
    cameraOff: [/^включить камеру/],
    people: [/^(?:osoby|uczestnicy)\b/],
  },
}

export const OTHERS: readonly PartialTexts[] = [GERMAN, HUNGARIAN, JAPANESE, ROMANCE, SLAVIC]
