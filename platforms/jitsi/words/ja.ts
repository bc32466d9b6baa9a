import type { PartialJitsiWords } from '../words.ts'

export const JAPANESE: PartialJitsiWords = {
  labels: {
    microphoneSwitch: [/^ミュート \/ ミュート解除$/],
    cameraSwitch: [/^(?:ビデオ|カメラ)の開始 \/ 停止$/],
    leave: [/^ミーティングを退[席出]$/],
    openChat: [/^チャットを開く(?: \/ 閉じる)?$/],
    closeChat: [/^チャットを(?:開く \/ )?閉じる$/],
  },
}
