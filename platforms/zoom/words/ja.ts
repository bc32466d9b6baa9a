/** Japanese wording, for a page that ignores the requested language. Source: language file of the published SDK. */
import type { PartialWords } from '../../shared/words.ts'
import type { ENGLISH } from './en.ts'

export const JAPANESE: PartialWords<typeof ENGLISH> = {
  states: {
    bot_wall: [/^自動化ボットは、このミーティングに参加できません/, /^recaptcha 認証に失敗しました/],
    login_wall: [/^サインインしてこの.*に参加する/],
    invalid_link: [/^このミーティングリンクは無効です/],
    browser_off: [/組織のポリシーによってブロックされています/],
    removed_before: [/^お客様は以前ホストによって削除されている/],
    removed: [/^削除されました/, /^ホストによってこのミーティングから削除されました/],
    locked: [/ホストによってロックされ(?:ています|ました)/],
    full: [/定員に達しています/, /^ミーティングの可能参加者数が最大になりました/],
    elsewhere: [/^別のデバイスでこの.*に既に参加しています/],
    ended: [/^このミーティングは(?:ホスト|管理者)によって終了/, /^ミーティングは終了しました/],
    free_limit: [/^無料ミーティングは終了しました/],
    join_failed: [/^ミーティングへの参加のタイムアウト/, /^ミーティングの参加がタイムアウトしました/],
    waiting_for_host: [/^ホストがミーティングを開始するのを待機/, /^ホストによってウェビナーが開始されるのを待機/],
    waiting_room: [
      /間もなくミーティングへの参加を許可します/,
      /^まもなくホストが/,
      /^ホストがミーティングを退出しました/,
    ],
    joining: [/^(?:ミーティング|ウェビナー)に参加しています/],
    wrong_passcode: [/パスコードが(?:間違っています|正しくありません)/, /^パスワードが間違っています/],
    reconnecting: [/^ネットワークエラー/],
  },
  dialogs: {
    recording: [/^このミーティングはレコーディングされています/],
    join_audio: [/^他の人々の声を聞くには、オーディオに接続してください/],
  },
  labels: {
    me: [/^自分$/],
    host: [/^ホスト$/],
    leave: [/^退出$/],
    end: [/^終了$/],
    agree: [/^同意する$/],
    later: [/^後で$/],
    stayMuted: [/^ミュートのままにする$/],
    microphoneOn: [/^ミュート$/],
    microphoneOff: [/^ミュート解除$/],
    cameraOn: [/^ビデオを(?:停止|オフにする)$/],
    cameraOff: [/^ビデオを(?:開始|オンにする)$/],
    gotIt: [/^了解$/],
    joinAudio: [/^(?:コンピューターでオーディオに|オーディオに)接続(?:する)?$/],
    leaveMeeting: [/^ミーティングを退出$/],
    endForAll: [/^全員に対してミーティングを終了$/],
    chat: [/^チャットパネルを(?:開く|閉じる)$/],
    speakerView: [/^スピーカー ビュー$/],
    galleryView: [/^ギャラリービュー$/],
  },
}
