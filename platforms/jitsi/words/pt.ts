import type { PartialJitsiWords } from '../words.ts'

export const PORTUGUESE: PartialJitsiWords = {
  labels: {
    microphoneOff: [/^ativar som$/],
    microphoneSwitch: [/^alternar mudo do áudio$/],
    cameraOff: [/^ativar câmera$/],
    cameraSwitch: [/^alternar mudo do vídeo$/],
    leave: [/^sair da chamada$/, /^sair$/],
    leaveOnly: [/^sair da reunião$/],
    openChat: [/^abrir chat$/],
    closeChat: [/^fechar chat$/],
  },
}
