/** Japanese wording of the page, as far as it was observed. */
import type { OtherWords } from '../words.ts'

export const JAPANESE: OtherWords = {
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
