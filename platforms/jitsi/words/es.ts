import type { PartialJitsiWords } from '../words.ts'

export const SPANISH: PartialJitsiWords = {
  labels: {
    microphoneOn: [/^silenciar micrófono$/],
    microphoneOff: [/^activar micrófono$/],
    cameraOn: [/^detener cámara$/],
    cameraOff: [/^encender cámara$/, /^iniciar cámara$/],
    cameraSwitch: [/^alternar vídeo$/],
    leave: [/^colgar$/],
    leaveOnly: [/^abandonar reunión$/],
    openChat: [/^abrir chat$/, /^alternar ventana de chat$/],
    closeChat: [/^cerrar chat$/, /^alternar ventana de chat$/],
  },
}
